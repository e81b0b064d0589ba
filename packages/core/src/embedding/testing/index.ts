export type { Declared, SetUp, TestNetwork } from './test-network.js';
export { transportContract } from './transport-contract.js';
