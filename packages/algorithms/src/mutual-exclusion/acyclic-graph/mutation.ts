import { complete, topology } from '@conclave/core/topology';
import type { MutationNotes, NotesByOptions } from '../../mutation-notes.js';

/** There is somebody to tell only where there is a cycle; late news, only where it is a longer one. */
const cycles =
  (wishes: number): MutationNotes['systems'] =>
  () => [
    { topology: complete(2), budget: { wishes: 2 } },
    { topology: complete(3), budget: { wishes: 1 } },
    { topology: complete(3), budget: { wishes } },
    { topology: topology('edges:a-b,b-c,c-d,d-a'), budget: { wishes: 1 } },
  ];

/** Where its mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': { reasons: {} },
  'reversal=acknowledged': { systems: cycles(2), reasons: {} },
  'reversal=numbered': { systems: cycles(2), reasons: {} },
  'edge=any': { systems: cycles(1), reasons: {} },
};
