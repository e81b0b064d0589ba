export { describeWithServer } from './describe-with-server.js';
export { freePort } from './free-port.js';
export { missingServer, startServer, type TestServer } from './servers.js';
export type { Declared, SetUp, TestNetwork } from './test-network.js';
export { transportContract } from './transport-contract.js';
