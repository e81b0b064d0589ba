export { type Conditions, conditions, type Delay, delayText, parseDelay } from './conditions.js';
export { reliable, reliableLink } from './reliable/index.js';
