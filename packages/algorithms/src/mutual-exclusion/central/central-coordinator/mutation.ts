import { defaultSystems, type MutationSystem } from '@conclave/core/mutation';
import { star } from '@conclave/core/topology';
import type { NotesByOptions } from '../../../mutation-notes.js';

/** A waiting client reports a coordinator that crashes. */
const crashing: readonly MutationSystem[] = [star(2), star(3)].map((topology) => ({
  topology,
  budget: { crashes: 1, mayCrash: ({ role }) => role === 'coordinator' },
}));

/** The systems on which its mutants are explored, and why some survive. */
export const mutation: NotesByOptions = {
  '': { reasons: {} },
  'acknowledge=true': {
    systems: (protocol) => [...defaultSystems(protocol), ...crashing],
    reasons: {},
  },
};
