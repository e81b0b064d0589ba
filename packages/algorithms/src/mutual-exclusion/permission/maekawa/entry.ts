import { entryOf } from '../../../entry.js';
import { maekawa, maekawaOptions } from './protocol.js';

export const entry = entryOf('mutual-exclusion/permission', (options = {}) => maekawa(options), maekawaOptions, [{ cancel: true }]);
