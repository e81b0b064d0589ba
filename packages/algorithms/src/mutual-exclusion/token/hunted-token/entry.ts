import { entryOf, holder } from '../../../entry.js';
import { huntedToken } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', (options = {}) => huntedToken(options), [holder]);
