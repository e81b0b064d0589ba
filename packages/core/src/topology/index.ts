export { chain, complete, grid, hypercube, ring, star, tree } from './generators.js';
export type { TopologyNeed } from './needs.js';
export * as needs from './needs.js';
export { topology } from './parse.js';
export { type Link, Topology } from './topology.js';
