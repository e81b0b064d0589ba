import { defaultSystems } from '@conclave/core/mutation';
import { ring } from '@conclave/core/topology';
import type { NotesByOptions } from '../../mutation-notes.js';

/** Where its mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': {
    // Nobody but `a` starts: the others must be woken. Four in this order: two phases.
    systems: (protocol) => [
      ...[ring(2), ring(3)].map((topology) => ({ topology, budget: { initiators: ['a'] } })),
      ...defaultSystems(protocol),
      { topology: ring(['a', 'c', 'b', 'd']), budget: { commands: 1 } },
    ],
    reasons: {},
  },
};
