import { entryOf } from '../../entry.js';
import { heartbeat, heartbeatOptions } from './protocol.js';

export const entry = entryOf('detectors', (options = {}) => heartbeat(options), heartbeatOptions);
