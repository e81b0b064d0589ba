export { abilene } from './backbones.js';
export { chain, complete, grid, hypercube, ring, shuffledRing, star, tree } from './generators.js';
export { shortestPaths } from './measures.js';
export * as needs from './needs.js';
export { topology } from './parse.js';
export { randomGraph, randomTree } from './random-graphs.js';
export { Topology } from './topology.js';
