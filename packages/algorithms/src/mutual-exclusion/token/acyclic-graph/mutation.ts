import { chain, complete, topology } from '@conclave/core/topology';
import type { NotesByOptions } from '../../../mutation-notes.js';

/** A triangle on a square: some news come to a node that has asked. */
const diamond = topology('edges:a-b,b-c,c-d,d-a,a-c');

/** There is somebody to tell only where there is a cycle. */
const cycles = () => [
  { topology: chain(2), budget: { commands: 2 } },
  { topology: complete(3), budget: { commands: 1 } },
  { topology: complete(3), budget: { commands: 2 } },
  { topology: diamond, budget: { commands: 1 } },
];

/** Where its mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': { reasons: {} },
  'reversal=acknowledged': { systems: cycles, reasons: {} },
  'reversal=numbered': { systems: cycles, reasons: {} },
  'edge=any': { systems: () => [...cycles().slice(0, 2), { topology: chain(3), budget: { commands: 2 } }], reasons: {} },
};
