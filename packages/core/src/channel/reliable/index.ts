export type { Deliver, Frame, LinkCommand } from './link.js';
export { type LinkOptions, reliableLink } from './protocol.js';
export { type ReliableOptions, reliable } from './reliable.js';
