/** For the packages of this repository, of the same version: without promise. */
export { Judge, trackerOf } from './judge.js';
export { Tracker } from './tracker.js';
export { Increase, Invariant } from './trackers.js';
