export { type MutateOptions, mutate } from './mutate.js';
export type { Operator } from './operators.js';
export type { MutationReport } from './report.js';
export type { MutationSystem } from './systems.js';
