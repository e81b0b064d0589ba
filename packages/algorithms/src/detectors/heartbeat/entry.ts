import { entryOf } from '../../entry.js';
import { heartbeatOptions } from './heartbeat.js';
import { heartbeat } from './protocol.js';

export const entry = entryOf('detectors', heartbeat, heartbeatOptions);
