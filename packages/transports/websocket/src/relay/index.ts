export type { Admission, RelayOptions } from './options.js';
export { type Relay, type RelayCounts, relay } from './relay.js';
