import { complete } from '@conclave/core/topology';
import { enqueueActions } from 'xstate';
import { withMachine } from '../../../contract/mutant.js';
import { cancelContract } from '../../cancel.contract.js';
import { cancellableMachine } from './cancellable.js';
import { maekawa } from './protocol.js';

const protocol = maekawa({ cancel: true });

cancelContract({
  protocol,
  topologies: [2, 3, 4, 7].map((n) => complete(n)),
  explored: [
    { what: '2 nodes, 2 requests each', systems: [{ topology: complete(2), budget: { commands: 2 } }], states: 3_773 },
    { what: '3 nodes, a request each', systems: [{ topology: complete(3), budget: {} }], states: 9_065 },
    { what: '4 nodes, 2 of them a request each', systems: [{ topology: complete(4), budget: { initiators: ['b', 'c'] } }], states: 7_646 },
  ],
  costs: [
    { topology: complete(2), budget: { commands: 2 }, most: 5 },
    { topology: complete(4), budget: { initiators: ['b', 'c'] }, most: 10 },
  ],
  mutants: {
    'a cancelled request is not withdrawn: it stays in the queues': {
      protocol: withMachine(protocol, cancellableMachine.provide({ actions: { dequeue: enqueueActions(() => {}) } })),
      refuted:
        'complete:2, 6 steps: each voter’s vote is in one place: with itself, with one client, in transit, or returned by a client that has cancelled',
    },
    'the next request does not wait for the confirmations': {
      protocol: withMachine(protocol, cancellableMachine.provide({ guards: { allConfirmed: () => true } })),
      refuted:
        'complete:2, 3 steps: each voter’s vote is in one place: with itself, with one client, in transit, or returned by a client that has cancelled',
    },
    'a voter that inquires does not refuse a younger request': {
      protocol: withMachine(protocol, cancellableMachine.provide({ guards: { isYoungerThanLock: () => false } })),
      refuted: 'complete:2, 10 steps: a request younger than the one that has the vote is refused at once',
    },
  },
});
