/** For the packages of this repository, of the same version: without promise. */
export { freeHeap, megabytes, mostFitting } from './memory.js';
