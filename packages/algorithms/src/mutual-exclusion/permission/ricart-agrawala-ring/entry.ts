import { entryOf } from '../../../entry.js';
import { ricartAgrawalaRing } from './protocol.js';

export const entry = entryOf('mutual-exclusion/permission', () => ricartAgrawalaRing);
