import { entryOf, holder } from '../../../entry.js';
import { treeToken } from './protocol.js';

export const entry = entryOf('mutual-exclusion/token', (options = {}) => treeToken(options), [holder]);
