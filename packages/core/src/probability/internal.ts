/** For the packages of this repository, of the same version: without promise. */
export type { DecisionProcess, Extreme, Lasso, Question, Value } from './decision-process.js';
export { expectedCost } from './expected-cost.js';
export { probabilityWithin } from './probability-within.js';
export { type Rational, toNumber, toText } from './rational.js';
export { reachProbability } from './reach-probability.js';
