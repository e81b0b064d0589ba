import { entryOf, holder } from '../../../entry.js';
import { echoToken } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', (options = {}) => echoToken(options), [holder]);
