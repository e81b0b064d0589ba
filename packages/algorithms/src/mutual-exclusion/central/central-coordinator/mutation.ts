import { defaultSystems, type MutationSystem } from '@conclave/core/mutation';
import { star } from '@conclave/core/topology';
import type { NotesByOptions } from '../../../mutation-notes.js';

/** Whoever waits reports a coordinator that crashes. */
const crashing: readonly MutationSystem[] = [star(2), star(3)].map((topology) => ({
  topology,
  budget: { crashes: 1, mayCrash: ({ role }) => role === 'coordinator' },
}));

/** Where its mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': { reasons: {} },
  'acknowledge=true': {
    systems: (protocol) => [...defaultSystems(protocol), ...crashing],
    reasons: {},
  },
};
