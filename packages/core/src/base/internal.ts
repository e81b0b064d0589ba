/** For the packages of this repository, of the same version: without promise. */
export { badInput } from './error.js';
export { freeHeap, megabytes, mostFitting, type Size } from './memory.js';
