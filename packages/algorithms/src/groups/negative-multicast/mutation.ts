import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../mutation-notes.js';

/** Every message takes 100 ms: far fewer interleavings. */
const fixed = { time: { kind: 'exact', delay: [100, 100] } } as const;

const systems = () => [
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1 } },
  { topology: complete(3), budget: { initiators: ['a'], losses: 1 } },
  { topology: complete(3), budget: { initiators: ['a'], commands: 2, losses: 1, ...fixed } },
  { topology: complete(3), budget: { initiators: ['a'], losses: 2, crashes: 1, ...fixed } },
  { topology: complete(3), budget: { initiators: ['a', 'b'], ...fixed } },
];

export const mutation: NotesByOptions = {
  '': { systems, reasons: {} },
};
