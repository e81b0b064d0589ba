/** For the packages of this repository, of the same version: without promise. */
export { Judge, trackerOf } from './judge.js';
export {
  isFalse,
  isTrue,
  isViolated,
  type Loop,
  listed,
  type Outcome,
  type Reason,
  Tracker,
} from './tracker.js';
export { Increase, Invariant, isSame, numberOf } from './trackers.js';
