/** The algorithms of the catalogue, without loading them. */
export { loaders } from '@conclave/algorithms/load';
