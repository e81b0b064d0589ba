import { complete } from '@conclave/core/topology';
import { because, type NotesByOptions } from '../../mutation-notes.js';

export const mutation: NotesByOptions = {
  '': {
    systems: () => [
      { topology: complete(2), budget: { crashes: 1 } },
      { topology: complete(3), budget: { crashes: 2 } },
    ],
    parts: ['group'],
    reasons: {
      ...because(
        'A node is outside only after a restart, and waits there',
        'role.outside: elect delete-transition',
        'role.outside: elect to role.passive retarget',
        'role.outside: elect to role.leader retarget',
      ),
      ...because(
        'Only a smaller newcomer ends a leadership, and here no node joins',
        'role.leader: group-view #2 delete-transition',
        'role.leader: group-view #2 ignore',
        'role.leader: group-view #2 drop-target',
        'role.leader: group-view #2 to role.outside retarget',
        'role.leader: group-view #2 follow drop-action',
        'role.leader: group-view #2 follow duplicate-action',
      ),
    },
  },
};
