import { entryOf } from '../../entry.js';
import { echoOptions } from './echo.js';
import { echo } from './protocol.js';

export const entry = entryOf('waves', echo, echoOptions);
