/** The store for the processes of one machine: `@conclave/coordination/node`. */
export { fileStore } from './store/file-store.js';
