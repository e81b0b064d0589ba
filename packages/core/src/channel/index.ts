export { type Conditions, conditions, type Delay, delayText, parseDelay } from './conditions.js';
export { reliableLink } from './reliable/protocol.js';
