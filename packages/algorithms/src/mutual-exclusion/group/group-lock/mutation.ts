import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../../mutation-notes.js';

export const mutation: NotesByOptions = {
  '': {
    systems: () => [
      { topology: complete(2), budget: { commands: 2 } },
      { topology: complete(2), budget: { commands: 2, crashes: 1 } },
      { topology: complete(3), budget: { initiators: ['b', 'c'] } },
    ],
    parts: ['group'],
    reasons: {},
  },
};
