export { type FuzzOptions, fuzzFrames } from './fuzz.js';
export type { Ability, Declared, SetUp, TestNetwork } from './test-network.js';
export { transportChecks, transportContract } from './transport-contract.js';
