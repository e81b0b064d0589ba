export type { Declared, TestNetwork } from './test-network.js';
export { transportContract } from './transport-contract.js';
