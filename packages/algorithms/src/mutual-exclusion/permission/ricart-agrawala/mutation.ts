import { defaultSystems } from '@conclave/core/mutation';
import { complete } from '@conclave/core/topology';
import { because, type NotesByOptions } from '../../../mutation-notes.js';

/** The systems on which its mutants are explored, and why some survive. */
export const mutation: NotesByOptions = {
  '': { reasons: {} },
  'acknowledged=true': {
    systems: (protocol) => [
      ...defaultSystems(protocol, { topologies: [complete(2)] }),
      { topology: complete(2), budget: { crashes: 1 } },
      // Late answers: only one node enters, so that false alarms do no harm.
      { topology: complete(2), budget: { time: 'untimed', initiators: ['a'], commands: 2 } },
    ],
    reasons: {
      ...because(
        'Needs three nodes that want to enter: one in its critical section, one that waits for it, and one that inquires of the second',
        'wanted: inquire #1 ignore',
        'wanted: inquire #1 to released retarget',
        'wanted: inquire #1 to held retarget',
        'wanted: inquire #1 acknowledge duplicate-action',
        'wanted: inquire #1 acknowledge misdirect-send',
      ),
      'channels repeat':
        'A second copy gets the same answer as the first; in all explored systems this is harmless',
    },
  },
};
