import { entryOf } from '../../entry.js';
import { bullyOptions } from './bully.js';
import { bully } from './protocol.js';

export const entry = entryOf('election', bully, bullyOptions, { charted: [{ detector: true }] });
