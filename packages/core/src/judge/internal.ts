/** Unstable: for the packages of this house only, of the same version. */
export { Judge, trackerOf } from './judge.js';
export { Tracker } from './tracker.js';
export { Increase, Invariant } from './trackers.js';
