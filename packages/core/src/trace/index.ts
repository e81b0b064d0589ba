export { parseTrace } from './parse.js';
export { replay } from './replay.js';
export { sequenceDiagram } from './sequence.js';
export { shivizLog } from './shiviz.js';
export { spaceTimeSvg } from './space-time.js';
export { linesText, traceText } from './text.js';
export type { Trace, TraceLine } from './trace.js';
export type { VectorClock } from './vector-clock.js';
