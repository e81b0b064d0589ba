import { complete } from '@conclave/core/topology';
import { because, type NotesByOptions } from '../../mutation-notes.js';

/** Another order of the ring of the election: then a member relays two candidates. */
const falling = complete(['c', 'b', 'a']);
/** All multicasts carry the same data: far fewer states. */
const inputs = [{ type: 'multicast', data: 'x' }];
const two = { inputs, initiators: ['b', 'c'] };

export const mutation: NotesByOptions = {
  '': {
    systems: () => [
      { topology: complete(2), budget: { inputs } },
      { topology: complete(2), budget: { inputs, commands: 2 } },
      { topology: complete(3), budget: { inputs, initiators: ['a', 'b'] } },
      { topology: falling, budget: two },
    ],
    reasons: {
      ...because(
        'The election assumes that nothing is duplicated; the row with a given sequencer reaches it',
        'sender.sequencing: request #1 delete-transition',
        'sender.sequencing: request #1 to sender.unsettled retarget',
        'sender.sequencing: request #1 to sender.following retarget',
        'receiver: numbered #1 delete-transition',
      ),
      ...because(
        'A member that knows the sequencer starts no election',
        'election.leader: election-elect delete-transition',
        'election.leader: election-elect ignore',
        'election.leader: election-elect to election.passive retarget',
        'election.leader: election-elect to election.active retarget',
        'election.leader: election-elect to election.follower retarget',
        'election.follower: election-elect delete-transition',
        'election.follower: election-elect ignore',
        'election.follower: election-elect to election.passive retarget',
        'election.follower: election-elect to election.active retarget',
        'election.follower: election-elect to election.leader retarget',
      ),
      ...because(
        'The second copy goes the way of the first, and is extinguished; the cost of the election is judged on its own page',
        'election.passive.asleep: election-elect election:candidate duplicate-action',
      ),
    },
  },
  'sequencer=a': {
    systems: () => [
      { topology: complete(2), budget: { inputs, commands: 2 } },
      { topology: complete(2), budget: { inputs, duplications: 1 } },
      { topology: complete(3), budget: two },
      { topology: complete(3), budget: { ...two, duplications: 1 } },
    ],
    reasons: {},
  },
};
