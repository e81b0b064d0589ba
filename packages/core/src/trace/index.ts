export { parseTrace } from './parse.js';
export { replay } from './replay.js';
export { sequenceDiagram } from './sequence.js';
export { shivizLog } from './shiviz.js';
export { spaceTimeSvg } from './space-time.js';
export { linesText, type Trace, type TraceLine, traceText } from './trace.js';
