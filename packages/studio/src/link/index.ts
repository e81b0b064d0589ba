export { type Link, linkText, parseLink } from './link.js';
export type { Setup } from './setup.js';
