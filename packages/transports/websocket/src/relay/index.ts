export type { RelayOptions } from './options.js';
export { type Relay, relay } from './relay.js';
