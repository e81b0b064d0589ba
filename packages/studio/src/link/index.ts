export { type Goal, type Link, linkText, type Notes, type Panel, parseLink } from './link.js';
export type { Setup } from './setup.js';
