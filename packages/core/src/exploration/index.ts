export { testModel } from './conformance.js';
export { type Exploration, explore } from './explore.js';
export { follow } from './follow.js';
export { model } from './model.js';
export type { ExploreOptions } from './options.js';
export { type LargestOvertaking, overtaking } from './overtaking.js';
export { exploreSystem } from './plain.js';
export { standardProperties } from './verdicts/compiled-properties.js';
export { walk } from './walk.js';
