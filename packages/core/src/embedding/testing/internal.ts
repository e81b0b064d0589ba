/** For the packages of this repository, of the same version: without promise. */
export { describeWithServer } from './describe-with-server.js';
export { freePort, missingServer, startServer, type TestServer } from './servers.js';
