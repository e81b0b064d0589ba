import { entryOf } from '../../entry.js';
import { safra } from './protocol.js';
import { safraOptions } from './safra.js';

export const entry = entryOf('global-states', safra, safraOptions);
