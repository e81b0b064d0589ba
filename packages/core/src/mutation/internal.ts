/** For the packages of this repository, of the same version: without promise. */

export { mutantsOf } from './mutants.js';
export { chosenMutants, type MutateOptions, mutatePart } from './mutate.js';
export { allOperators } from './operators.js';
export { type Mutant, mergedReport, openQuestions } from './report.js';
export { defaultSystems } from './systems.js';
