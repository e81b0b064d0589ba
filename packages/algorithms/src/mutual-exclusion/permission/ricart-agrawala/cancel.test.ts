import { complete } from '@conclave/core/topology';
import { enqueueActions } from 'xstate';
import { withMachine, withState } from '../../../contract/mutant.js';
import { cancelContract } from '../../cancel.contract.js';
import { ricartAgrawalaAcknowledged, ricartAgrawalaCancellable } from './protocol.js';
import { cancellableAcknowledgedMachine, cancellableMachine } from './ricart-agrawala.js';

const mutant = (refuted: string, machine: typeof cancellableMachine) => ({
  protocol: withMachine(ricartAgrawalaCancellable, machine),
  refuted,
});

cancelContract({
  protocol: ricartAgrawalaCancellable,
  topologies: [2, 3, 4].map((n) => complete(n)),
  explored: [
    { what: '2 nodes, a request each', systems: [{ topology: complete(2), budget: { commands: 1 } }], states: 114 },
    { what: '2 nodes, 2 requests each', systems: [{ topology: complete(2), budget: { commands: 2 } }], states: 2_504 },
    { what: '3 nodes, a request each', systems: [{ topology: complete(3), budget: { commands: 1 } }], states: 87_518 },
  ],
  covered: {
    topology: complete(2),
    budget: { commands: 2 },
    states: 2_504,
    transitions: 4_836,
    depth: 16,
    undelivered: ['released: reply', 'held: reply'],
  },
  costs: [{ topology: complete(2), budget: { commands: 2 }, most: 2 }],
  mutants: {
    'a cancelled request is not withdrawn: deferred requests wait': mutant(
      'complete:2, 6 steps: every node that wants to enter eventually enters, unless its application cancels',
      cancellableMachine.provide({ actions: { replyDeferred: enqueueActions(() => {}) } }),
    ),
    'the next request does not wait for outstanding replies': mutant(
      "complete:2, 6 steps: Node a in 'held' does not handle 'reply' (from b)",
      withState(withState(cancellableMachine, ['withdrawn'], { always: { target: 'released' } }), ['released'], {
        on: {
          acquire: { target: 'wanted', actions: ['stamp', 'requestAll'] },
          request: { actions: ['witness', 'reply'] },
          reply: {},
        },
      }),
    ),
    'a node that has cancelled still defers younger requests': mutant(
      'complete:2, 5 steps: every node that wants to enter eventually enters, unless its application cancels',
      withState(cancellableMachine, ['withdrawn'], {
        on: { request: { actions: ['witness', 'defer'] }, reply: { actions: 'crossOff' } },
      }),
    ),
  },
});

cancelContract({
  protocol: ricartAgrawalaAcknowledged({ cancel: true }),
  topologies: [complete(3)],
  explored: [
    { what: '2 nodes, a request each', systems: [{ topology: complete(2), budget: {} }], states: 1_620 },
    { what: '2 nodes, a crash', systems: [{ topology: complete(2), budget: { crashes: 1 } }], states: 5_528 },
  ],
  costs: [],
  mutants: {
    'a cancelled request is not withdrawn: deferred requests wait': {
      protocol: withMachine(
        ricartAgrawalaAcknowledged({ cancel: true }),
        cancellableAcknowledgedMachine.provide({ actions: { replyDeferred: enqueueActions(() => {}) } }),
      ),
      refuted: 'complete:2, 4 steps: a node defers requests only while it waits or is in the critical section',
    },
  },
});
