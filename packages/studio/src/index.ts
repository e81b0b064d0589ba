/** The page, for programs that write it: `conclave studio`. */
export { bundle } from './build/bundle.js';
export { pageUrl } from './build/page-file.js';
export { pageWith } from './build/page-with.js';
export { type Link, linkText, parseLink, type Setup } from './link/index.js';
export type { Given } from './model/given.js';
