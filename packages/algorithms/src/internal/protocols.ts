/** What needs no transport: the protocols, and what they are made of. */
export { catalogue, protocolOf } from '../catalogue.js';
export type { LogicalClock } from '../clocks/clock.js';
export { lamportClock, vectorClock } from '../clocks/clock.js';
export type { Entry } from '../entry.js';
export { type MulticastOptions, multicast } from '../groups/multicast-by-order.js';
export {
  type Interval,
  overlap,
} from '../mutual-exclusion/permission/interval-reservation/interval-reservation.js';
export * from '../protocols.js';
