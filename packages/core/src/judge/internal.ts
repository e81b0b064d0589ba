/** Unstable: for the packages of this house only, of the same version. */
export { Judge } from './judge.js';
export { Tracker } from './tracker.js';
export { Increase, Invariant, trackerOf } from './trackers.js';
