/** For the packages of this repository, of the same version: without promise. */
export type { Mutant } from './mutant.js';
export { mutantsOf } from './mutants.js';
export { chosenMutants, type MutateOptions, mutatePart } from './mutate.js';
export { allOperators } from './operators.js';
export { mergedReport, openQuestions } from './report.js';
export { defaultSystems } from './systems.js';
