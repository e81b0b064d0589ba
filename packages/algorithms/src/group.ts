/** Groups, by a protocol that is given: `@conclave/algorithms/group`. */

export type { Delivery, Group } from './facade/group/group.js';
export { type GroupOptions, group } from './facade/group/group.js';
