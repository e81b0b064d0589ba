import { entryOf } from '../../entry.js';
import { itaiRodeh, itaiRodehOptions } from './protocol.js';

export const entry = entryOf('election', (options = {}) => itaiRodeh(options), itaiRodehOptions);
