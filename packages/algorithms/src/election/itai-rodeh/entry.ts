import { entryOf } from '../../entry.js';
import { itaiRodehOptions } from './itai-rodeh.js';
import { itaiRodeh } from './protocol.js';

export const entry = entryOf('election', itaiRodeh, itaiRodehOptions);
