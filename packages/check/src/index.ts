/**
 * What checks a protocol or any system: every interleaving of it (`explore`, `exploreSystem`), random
 * walks, expected costs, mutants, and model tests of its nodes.
 */
export { type ExpectedOptions, expected } from './expected/expected.js';
export type { Expectation, Extremes, Figure } from './expected/figures.js';
export { explore } from './explore/explore.js';
export type { ExploreOptions, WalkOptions } from './explore/options.js';
export {
  type Linearization,
  linearizable,
  type Operation,
  type SequentialObject,
} from './linearizability/linearizable.js';
export {
  type CounterInput,
  type LockInput,
  type QueueInput,
  type RegisterInput,
  sequential,
} from './linearizability/sequential.js';
export { type Model, model } from './model/model.js';
export { type PathOptions, type Paths, paths } from './model/paths.js';
export type { ModelTested } from './model/test-machine.js';
export { type TestModelClass, testModel } from './model/test-model.js';
export { type MutateOptions, mutate } from './mutation/mutate.js';
export type { Operator } from './mutation/operators.js';
export type { MutationReport } from './mutation/report.js';
export type { MutationSystem } from './mutation/systems.js';
export { exploreSystem, type PlainExploration } from './plain/plain.js';
export {
  expectedOfSystem,
  type PlainExpectation,
  type PlainExpectedOptions,
} from './plain/plain-expectation.js';
export type { PlainOptions } from './plain/plain-options.js';
export type { PlainSystem } from './plain/plain-system.js';
export type { Limits } from './search/limits/limits.js';
export type { Exploration } from './verdicts/exploration.js';
export type { PropertyFinding } from './verdicts/property-finding.js';
export { type Walks, walk } from './walk/walk.js';
export type { Budget } from './worlds/budget.js';
export type { Action, World } from './worlds/world.js';
