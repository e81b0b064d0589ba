/** The store of ticks for the processes of one machine: `@conclave/coordination/node`. */
export { fileTicks } from './once/file-ticks.js';
