/** For the packages of this repository, of the same version: without promise. */
export { isUnsentInStep, matchMessages } from './matching.js';
export { readableLines } from './readable.js';
export { type RecordedStep, traceHeader, traceLine } from './recording.js';
export { advanced, merged, vectorClocks } from './shiviz.js';
export type { Arrow } from './space-time-layout.js';
export { pageStyle } from './space-time-style.js';
export { type SpaceTimeView, spaceTimeView } from './space-time-view.js';
export { eventText, statesText } from './trace.js';
