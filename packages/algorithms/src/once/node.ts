/** The store of ticks for the processes of one machine: `@conclave/algorithms/once/node`. */
export { fileTicks } from '../facade/once/file-ticks.js';
