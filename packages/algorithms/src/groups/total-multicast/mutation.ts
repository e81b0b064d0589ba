import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../mutation-notes.js';

/** Another order of the ring of the election: then a member relays two candidates. */
const falling = complete(['c', 'b', 'a']);
const two = { initiators: ['b', 'c'] };

export const mutation: NotesByOptions = {
  '': {
    systems: () => [
      { topology: complete(2), budget: {} },
      { topology: complete(2), budget: { commands: 2 } },
      { topology: complete(3), budget: { initiators: ['a', 'b'] } },
      { topology: falling, budget: two },
    ],
    reasons: {},
  },
  'sequencer=a': {
    systems: () => [
      { topology: complete(2), budget: { commands: 2 } },
      { topology: complete(2), budget: { duplications: 1 } },
      { topology: complete(3), budget: two },
      { topology: complete(3), budget: { ...two, duplications: 1 } },
    ],
    reasons: {},
  },
};
