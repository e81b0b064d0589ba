import type { MutationSystem } from '@conclave/core/mutation';
import type { NodeView } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../mutation-notes.js';

const crash = { crashes: 1, unsent: true } as const;
const multicast = { type: 'multicast', data: 'x' } as const;
const [join, leave] = [{ type: 'join' }, { type: 'leave' }] as const;

/** Every message takes 100 ms: far fewer interleavings. */
const fixed = { time: { kind: 'exact', delay: [100, 100] } } as const;

/** The coordinator may crash while it removes another member. */
const mayCrash = ({ id }: NodeView): boolean => id === 'a' || id === 'd';

const systems = (): readonly MutationSystem[] => [
  { topology: complete(2), budget: { ...crash, inputs: [multicast, leave], initiators: ['b'] } },
  { topology: complete(2), budget: { ...crash, restarts: 1, inputs: [multicast, join] } },
  { topology: complete(3), budget: { inputs: [leave, join], initiators: ['a'] } },
  { topology: complete(3), budget: { inputs: [multicast, leave, join], initiators: ['c'], ...fixed } },
  { topology: complete(3), budget: { ...crash, inputs: [multicast], initiators: ['c'] } },
  { topology: complete(3), budget: { ...crash, inputs: [leave], initiators: ['b'] } },
  { topology: complete(2), budget: { ...crash, restarts: 1, inputs: [leave, join] } },
  { topology: complete(3), budget: { ...crash, inputs: [leave, join], initiators: ['c'] } },
  { topology: complete(3), budget: { ...crash, inputs: [leave, join], initiators: ['a'] } },
  { topology: complete(4), budget: { crashes: 2, unsent: true, mayCrash, inputs: [] } },
];

export const mutation: NotesByOptions = {
  'window=1 stateTransfer=true': { instead: true, systems, reasons: {} },
};
