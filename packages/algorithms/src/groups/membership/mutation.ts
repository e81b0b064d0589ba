import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../mutation-notes.js';

const crash = { crashes: 1, unsent: true } as const;
const multicast = { type: 'multicast', data: 'x' } as const;
const [join, leave] = [{ type: 'join' }, { type: 'leave' }] as const;

export const mutation: NotesByOptions = {
  '': {
    systems: () => [
      { topology: complete(2), budget: { ...crash, inputs: [multicast, leave], initiators: ['b'] } },
      { topology: complete(2), budget: { ...crash, restarts: 1, inputs: [multicast, join] } },
      { topology: complete(3), budget: { ...crash, inputs: [multicast], initiators: ['c'] } },
      { topology: complete(3), budget: { ...crash, inputs: [leave], initiators: ['b'] } },
    ],
    reasons: {},
  },
};
