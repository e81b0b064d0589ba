import { grid } from '@conclave/core/topology';
import { because, type NotesByOptions } from '../../mutation-notes.js';

export const mutation: NotesByOptions = {
  '': {
    // The smallest grid with border nodes is 2 × 3.
    systems: () => [
      ...['a', 'a d'].map((ids) => ({
        topology: grid(2, 2),
        budget: { initiators: ids.split(' ') },
      })),
      { topology: grid(2, 3), budget: { initiators: ['b'] } },
    ],
    states: 60_000,
    reasons: because(
      'An interior node needs 3 × 3 nodes, which have too many states for mutants; npm run verify explores them',
      'awake.placing: always #3 drop-always',
      'awake.placing: always #3 drop-target',
      'awake.placing: always #3 to awake.corner retarget',
      'awake.placing: always #3 to awake.learning retarget',
      'awake.placing: always #3 to awake.relaying retarget',
    ),
  },
};
