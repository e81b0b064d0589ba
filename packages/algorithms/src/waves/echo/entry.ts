import { entryOf } from '../../entry.js';
import { echo, echoOptions } from './protocol.js';

export const entry = entryOf('waves', (options = {}) => echo(options), echoOptions);
