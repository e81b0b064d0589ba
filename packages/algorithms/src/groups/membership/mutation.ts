import type { NodeView } from '@conclave/core/protocol';
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
      { topology: complete(2), budget: { inputs: [leave, join] } },
      { topology: complete(3), budget: { ...crash, inputs: [multicast], initiators: ['b', 'c'] } },
      { topology: complete(3), budget: { ...crash, inputs: [multicast, leave], initiators: ['b'] } },
      { topology: complete(3), budget: { ...crash, restarts: 1, inputs: [join], initiators: ['b', 'c'] } },
      {
        topology: complete(4),
        budget: { crashes: 2, unsent: true, mayCrash: ({ id }: NodeView) => id === 'a' || id === 'd', inputs: [] },
      },
    ],
    reasons: {},
  },
};
