export { type Conditions, parseDelay } from './conditions.js';
export { reliableLink } from './reliable/protocol.js';
