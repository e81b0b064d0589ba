import { entryOf } from '../../entry.js';
import { extinctionOptions } from './extinction.js';
import { extinction } from './protocol.js';

export const entry = entryOf('election', extinction, extinctionOptions, {
  charted: [{ terminating: true }],
});
