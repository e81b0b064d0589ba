/** For the packages of this repository, of the same version: without promise. */
export { freePort, missingServer, startServer } from './servers.js';
