export { mutationFingerprint } from './fingerprint.js';
export { mutantsOf } from './mutants.js';
export { type MutateOptions, mutate } from './mutate.js';
export { allOperators, type Operator } from './operators.js';
export { fates, type MutantFinding, type MutationReport, type OpenQuestion, openQuestions } from './report.js';
export { defaultSystems, type MutationSystem, systemText } from './systems.js';
