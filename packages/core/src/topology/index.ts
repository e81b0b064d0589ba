export { chain, complete, grid, hypercube, ring, shuffledRing, star, tree } from './generators.js';
export { shortestPaths } from './measures.js';
export type { TopologyNeed } from './needs.js';
export * as needs from './needs.js';
export { topology } from './parse.js';
export { randomGraph, randomTree } from './random-graphs.js';
export { type Link, type Place, Topology } from './topology.js';
