import { entryOf } from '../../entry.js';
import { chandyLamportOptions } from './chandy-lamport.js';
import { chandyLamport } from './protocol.js';

export const entry = entryOf('global-states', chandyLamport, chandyLamportOptions);
