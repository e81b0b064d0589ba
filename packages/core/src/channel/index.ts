export { type Conditions, type Delay, parseDelay } from './conditions.js';
export { reliableLink } from './reliable/protocol.js';
