export { type MutateOptions, mutate } from './mutate.js';
export { allOperators, type Operator } from './operators.js';
export { type MutationReport, openQuestions } from './report.js';
export { defaultSystems, type MutationSystem } from './systems.js';
