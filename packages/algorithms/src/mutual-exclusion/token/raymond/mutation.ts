import { chain } from '@conclave/core/topology';
import type { MutationNotes, NotesByOptions } from '../../../mutation-notes.js';

/**
 * In a chain of four a node may request the token for a node that requests it for another one: then
 * a token and a request arrive together.
 */
const trees: NonNullable<MutationNotes['systems']> = () => [
  { topology: chain(2), budget: { commands: 2 } },
  { topology: chain(3), budget: { commands: 2 } },
  { topology: chain(4), budget: { commands: 1 } },
];

/** Where its mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': { reasons: {} },
  'piggyback=true': { systems: trees, reasons: {} },
  'greedy=1': { systems: trees, reasons: {} },
};
