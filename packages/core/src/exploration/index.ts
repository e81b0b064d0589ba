export { canonical } from './canonical.js';
export { type Conformance, type TestModelClass, testModel } from './conformance.js';
export { type Exploration, type ExploreOptions, explore, type PropertyFinding, standardProperties } from './explore.js';
export { actionLine } from './line.js';
export type { Fairness } from './liveness.js';
export { type Model, type ModelLogic, type ModelOptions, type ModelSnapshot, model } from './model.js';
export type { Limit, Limits } from './search.js';
export { viewOf } from './view.js';
export { type Action, type Budget, type Outcome, type World, Worlds, worldKey } from './world.js';
