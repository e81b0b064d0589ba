import { defaultSystems } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import { because, type NotesByOptions } from '../../../mutation-notes.js';

/** Where its mutants are explored, and why those survive that do. */
export const mutation: NotesByOptions = {
  '': { reasons: {} },
  'acknowledged=true': {
    systems: (protocol) => [
      ...defaultSystems(protocol, { topologies: [complete(2)] }),
      { topology: complete(2), budget: { crashes: 1 } },
      // Answers that come too late: one node alone may enter, so that no false alarm does harm.
      { topology: complete(2), budget: { time: 'untimed', initiators: ['a'], commands: 2 } },
    ],
    reasons: {
      ...because(
        'Takes three nodes that want to enter at once: one inside, one that waits for it, and one that asks the second again',
        'wanted: inquire #1 ignore',
        'wanted: inquire #1 to released retarget',
        'wanted: inquire #1 to held retarget',
        'wanted: inquire #1 acknowledge duplicate-action',
        'wanted: inquire #1 acknowledge misdirect-send',
      ),
      'channels repeat': 'A second copy is answered like the first; as far as explored it does no harm',
    },
  },
};
