import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../mutation-notes.js';

/** Messages of exactly 100 ms: fewer states. */
const fixed = { kind: 'exact', delay: [100, 100], tick: 50 } as const;
const crash = { crashes: 1, restarts: 1 };

export const mutation: NotesByOptions = {
  '': {
    systems: () => [
      { topology: complete(2), budget: {} },
      { topology: complete(2), budget: crash },
      { topology: complete(3), budget: {} },
      { topology: complete(3), budget: { ...crash, initiators: ['a'], time: fixed } },
      { topology: complete(3), budget: { crashes: 2, initiators: ['a'], time: fixed } },
    ],
    reasons: {},
  },
  'detector=true': {
    systems: () => [
      { topology: complete(2), budget: { time: fixed } },
      { topology: complete(2), budget: { time: fixed, crashes: 1 } },
      { topology: complete(2), budget: { ...crash, initiators: ['a'], time: fixed } },
    ],
    reasons: {},
  },
};
