export { type Link, linkText, parseLink } from './link.js';
export type { Setup, StudioBudget } from './setup.js';
