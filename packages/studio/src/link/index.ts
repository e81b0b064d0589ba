export { type Link, linkText, parseLink } from './link.js';
