import { entryOf } from '../../../entry.js';
import { ricartAgrawalaEcho } from './protocol.js';

export const entry = entryOf('mutual-exclusion/permission', () => ricartAgrawalaEcho);
