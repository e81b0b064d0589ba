import { entryOf } from '../../entry.js';
import { dolevKlaweRodeh } from './protocol.js';

export const entry = entryOf('election', () => dolevKlaweRodeh);
