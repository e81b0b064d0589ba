/** Unstable: for the packages of this house only, of the same version. */
export { freePort, missingServer, startServer } from './servers.js';
