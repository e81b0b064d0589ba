import { defaultSystems } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import type { NotesByOptions } from '../../mutation-notes.js';

/** Where its mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': { reasons: {} },
  'acknowledged=true': {
    systems: (protocol) => [...defaultSystems(protocol, { topologies: [complete(2)] }), { topology: complete(2), budget: { crashes: 1 } }],
    reasons: {},
  },
};
