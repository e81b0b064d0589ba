import { entryOf, holder } from '../../../entry.js';
import { ricartAgrawala83 } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', (options = {}) => ricartAgrawala83(options), [holder]);
