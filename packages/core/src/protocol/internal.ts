/** For the packages of this repository, of the same version: without promise. */
export { nearest } from '../base/suggestion.js';
export { byId, entriesById, ofNode } from './by-node.js';
export { costOf } from './cost.js';
export { stateText } from './handles.js';
export { nodesAccepting } from './nodes-accepting.js';
export { optionalCommands } from './optional-commands.js';
export { isOfRuns } from './property-kinds.js';
export { lossesTolerated, roleOf } from './protocol.js';
export { inputAgain } from './stable.js';
export { fire, start, step, takes } from './step.js';
export { standardProperties } from './unhandled-messages.js';
