export type { Difference } from './difference.js';
export { mutationFingerprint } from './fingerprint.js';
export type { Mutant } from './mutant.js';
export { mutantsOf } from './mutants.js';
export { type MutateOptions, mutate } from './mutate.js';
export { allOperators, type Operator, operators } from './operators.js';
export { type Counts, type Fate, fates, type MutantFinding, type MutationReport, type OpenQuestion, openQuestions } from './report.js';
export { defaultSystems, type MutationSystem, systemText } from './systems.js';
