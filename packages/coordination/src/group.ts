/** Groups, by a protocol that is given: `@conclave/coordination/group`. */

export type { Delivery, Group } from './group/group.js';
export { type GroupOptions, group } from './group/group.js';
