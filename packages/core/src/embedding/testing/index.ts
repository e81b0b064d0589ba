export { describeWithServer } from './describe-with-server.js';
export { freePort } from './free-port.js';
export { type FuzzOptions, fuzzFrames } from './fuzz.js';
export {
  missingServer,
  type ServerName,
  type ServerOptions,
  startNats,
  startRedis,
  type TestServer,
} from './servers.js';
export type { Ability, Declared, SetUp, TestNetwork } from './test-network.js';
export { type TransportCheck, transportChecks, transportContract } from './transport-contract.js';
