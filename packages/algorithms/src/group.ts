/** Groups, by a protocol that is given: `@conclave/algorithms/group`. */
export { type GroupOptions, group } from './groups/facade/group.js';
export type { Delivery, Group, View } from './groups/facade/member.js';
