/** Versions of B2 with another rule for its announcement. */
import { withState } from '../../contract/machines.contract.js';
import { machine } from './collected-ids.js';

/** An election with another rule for the message `coordinator`. */
export const learningBy = (...coordinator: readonly object[]) =>
  withState(machine, ['participating'], {
    on: {
      elect: {},
      election: [
        { guard: 'listed', target: 'follower', actions: ['learn', 'announce'] },
        { actions: 'append' },
      ],
      coordinator,
    },
  });
