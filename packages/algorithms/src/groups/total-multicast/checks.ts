import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { runsOf } from '../weaker-orders.js';
import { totalMulticast } from './protocol.js';

/** Another order of the ring of the election: then a member relays two candidates. */
const falling = complete(['c', 'b', 'a']);
/** All multicasts carry the same data: far fewer states. */
const inputs = [{ type: 'multicast', data: 'x' }];
const two = { inputs, initiators: ['b', 'c'] };

export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      { topology: complete(2), budget: { inputs } },
      { topology: complete(2), budget: { inputs, commands: 2 } },
      { topology: complete(3), budget: { inputs, initiators: ['a', 'b'] } },
      { topology: falling, budget: two },
    ],
    // A member that knows the sequencer starts no election; B6 has the mutants of these states.
    parts: ['election.leader', 'election.follower'],
  },
  'sequencer=a': {
    systems: () => [
      { topology: complete(2), budget: { inputs, commands: 2 } },
      { topology: complete(2), budget: { inputs, duplications: 1 } },
      { topology: complete(3), budget: two },
      { topology: complete(3), budget: { ...two, duplications: 1 } },
    ],
  },
};

export const pictures = runsOf('total-is-not-causal');

export const verified: Verified = () =>
  systemsOf('C4t Totally ordered multicast of equal data', [
    run(
      '3 members',
      'sequencer elected, 2 senders of 2 multicasts',
      totalMulticast(),
      complete(3),
      { inputs, initiators: ['a', 'b'], commands: 2 },
    ),
    run('4 members', 'sequencer elected, 2 senders', totalMulticast(), complete(4), {
      inputs,
      initiators: ['a', 'b'],
    }),
    run(
      '4 members',
      'sequencer given, 2 senders of 2 multicasts',
      totalMulticast({ sequencer: 'a' }),
      complete(4),
      { inputs, initiators: ['b', 'c'], commands: 2 },
    ),
  ]);
