export type { Cost } from './expected/costs.js';
export {
  type EndlessRun,
  type Expectation,
  type ExpectedOptions,
  expected,
} from './expected/expected.js';
export type { Extremes, Figure, Figures } from './expected/figures.js';
export type { GraphFormat, GraphTexts } from './expected/graph-texts.js';
export type { Discarded } from './explore/discarded.js';
export { type Exploration, explore } from './explore/explore.js';
export type { ExploreOptions, WalkOptions } from './explore/options.js';
export { type Model, model } from './model/model.js';
export { testModel } from './model/test-model.js';
export { exploreSystem } from './plain/plain.js';
export {
  expectedOfSystem,
  type PlainEndlessRun,
  type PlainExpectation,
  type PlainExpectedOptions,
} from './plain/plain-expectation.js';
export type { PlainExploration } from './plain/plain-exploration.js';
export type { PlainOptions } from './plain/plain-options.js';
export type { PlainSystem } from './plain/plain-system.js';
export type { Limits } from './search/limits/limits.js';
export type { PropertyFinding } from './verdicts/property-finding.js';
export type { Diagnosis } from './verdicts/report/diagnosis.js';
export type { RoleCoverage } from './verdicts/report/role-usage.js';
export { type Walks, walk } from './walk/walk.js';
export type { Budget } from './worlds/budget.js';
export type { Action, StepAction, World } from './worlds/world.js';
