/** For the packages of this repository, of the same version: without promise. */
export { shuffledRing } from './generators.js';
export { shortestPaths } from './measures.js';
export { randomGraph, randomTree } from './random-graphs.js';
