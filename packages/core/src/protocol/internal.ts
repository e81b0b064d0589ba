/** For the packages of this repository, of the same version: without promise. */
export { nearest } from '../base/error.js';
export { exportIn } from './bare/machine-protocol.js';
export { isMachine } from './bare/modelled.js';
export { readable } from './bare/readable.js';
export { costOf } from './cost.js';
export { nodesAccepting, optionalCommands, standardProperties, stateText } from './handles.js';
export { byId, entriesById, ofNode } from './node.js';
export { isOfRuns } from './property-schema.js';
export { lossesTolerated, roleOf } from './protocol.js';
export { inputAgain } from './stable.js';
export { fire, start, step, takes } from './step.js';
