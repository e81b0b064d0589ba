/**
 * The protocols of the catalogue, and what they are made of: `@conclave/algorithms`. What runs them in
 * an application is `@conclave/coordination`.
 */
export { catalogue, protocolOf } from './catalogue.js';
export type { LogicalClock } from './clocks/clock.js';
export { lamportClock, vectorClock } from './clocks/clock.js';
export type { Entry } from './entry.js';
export { multicast } from './groups/multicast-by-order.js';
export {
  type Interval,
  overlap,
} from './mutual-exclusion/permission/interval-reservation/interval-reservation.js';
export * from './protocols.js';
