export { type Relay, type RelayOptions, relay } from './relay.js';
