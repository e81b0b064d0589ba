/** Unstable: for the packages of this house only, of the same version. */
export {
  headerOf,
  readLine,
} from './journal-text.js';
export { isChannelEvent, isUnsentInStep, matchMessages, stepBefore } from './matching.js';
export { parseCall, parseValue } from './parse.js';
export { readableLines } from './readable.js';
export {
  crashLine,
  eventOf,
  stepText,
  timerName,
  traceHeader,
  traceLine,
} from './recording.js';
export { vectorClocks } from './shiviz.js';
export { pageStyle } from './space-time-style.js';
export { spaceTimeView } from './space-time-view.js';
export { protocolFingerprint, stateHash } from './state-hash.js';
export { callText, eventText, headerWith, statesText, valueText } from './trace.js';
