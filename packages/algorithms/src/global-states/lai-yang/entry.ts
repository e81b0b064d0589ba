import { entryOf } from '../../entry.js';
import { laiYangOptions } from './lai-yang.js';
import { laiYang } from './protocol.js';

export const entry = entryOf('global-states', laiYang, laiYangOptions);
