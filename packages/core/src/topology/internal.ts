/** For the packages of this repository, of the same version: without promise. */
export { shortestPaths } from './measures.js';
export { abridged, shown } from './topology.js';
