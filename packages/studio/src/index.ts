/** The page, for programs that write it: `conclave studio`. */
export { pageUrl } from './build/page-file.js';
export { type Link, linkText, parseLink, type Setup } from './link/index.js';
