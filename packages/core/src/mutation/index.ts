export { mutantsOf } from './mutants.js';
export { mutate } from './mutate.js';
export { allOperators } from './operators.js';
export { openQuestions } from './report.js';
export { defaultSystems, type MutationSystem } from './systems.js';
