import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../mutation-notes.js';

const join = { type: 'join' };

export const mutation: NotesByOptions = {
  '': {
    systems: () => [
      { topology: complete(3), budget: {} },
      { topology: complete(4), budget: { inputs: [join] } },
    ],
    reasons: {},
  },
  'addresses=1': {
    systems: () => [3, 4].map((n) => ({ topology: complete(n), budget: {} })),
    states: 100_000,
    reasons: {},
  },
};
