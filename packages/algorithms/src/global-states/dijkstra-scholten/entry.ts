import { entryOf } from '../../entry.js';
import { dijkstraScholtenOptions } from './dijkstra-scholten.js';
import { dijkstraScholten } from './protocol.js';

export const entry = entryOf('global-states', dijkstraScholten, dijkstraScholtenOptions);
