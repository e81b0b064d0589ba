import { ConclaveError } from '@conclave/core/protocol';
import { star } from '@conclave/core/topology';
import { expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { withMachine, withState } from '../../../contract/mutant.js';
import { cancelContract } from '../../cancel.contract.js';
import { cancellableClient, cancellableCoordinator } from './central-coordinator.js';
import { centralCoordinator } from './protocol.js';

const protocol = centralCoordinator({ cancel: true });

cancelContract({
  protocol,
  topologies: [3, 4].map((n) => star(n)),
  explored: [
    { what: '1 client, 2 requests', systems: [{ topology: star(2), budget: { commands: 2 } }], states: 34 },
    { what: '2 clients, 2 requests each', systems: [{ topology: star(3), budget: { commands: 2 } }], states: 2_005 },
    { what: '3 clients, a request each', systems: [{ topology: star(4), budget: {} }], states: 2_143 },
  ],
  covered: {
    topology: star(4),
    budget: {},
    states: 2143,
    transitions: 6006,
    depth: 15,
    undelivered: [
      'client held: grant',
      'client held: withdrawn',
      'client released: grant',
      'client released: withdrawn',
      'client wanted: withdrawn',
      'coordinator free: released',
      'coordinator free: withdraw',
    ],
  },
  costs: [{ topology: star(3), budget: { commands: 2 }, most: 3 }],
  mutants: {
    'a cancelled request is not withdrawn: the grant goes to a client that does not want it': {
      protocol: withMachine(protocol, cancellableClient.provide({ actions: { withdraw: enqueueActions(() => {}) } }), 'client'),
      refuted: 'star:2, 6 steps: every node that wants to enter eventually enters, unless its application cancels',
    },
    'a withdrawn client stays in the queue': {
      protocol: withMachine(protocol, cancellableCoordinator.provide({ actions: { dequeue: enqueueActions(() => {}) } }), 'coordinator'),
      refuted: 'star:3, 6 steps: a client is queued once from its request to its grant or withdrawal, in the order of arrival',
    },
    'the coordinator ignores withdraw after the grant': {
      protocol: withMachine(
        protocol,
        withState(cancellableCoordinator, ['busy'], {
          on: { ...cancellableCoordinator.config.states?.busy?.on, withdraw: [{ guard: 'isQueued', actions: ['dequeue', 'confirm'] }, {}] },
        }),
        'coordinator',
      ),
      refuted: 'star:2, 7 steps: every node that wants to enter eventually enters, unless its application cancels',
    },
    'a client that has cancelled releases when it is granted': {
      protocol: withMachine(
        protocol,
        withState(cancellableClient, ['withdrawing'], {
          on: { withdrawn: 'released', grant: { target: 'released', actions: 'giveBack' } },
        }),
        'client',
      ),
      refuted:
        'star:2, 4 steps: a client sends request when it wants to enter, released when it leaves or is granted too late, withdraw when its application cancels, and nothing else',
    },
  },
});

it('does not offer acknowledge and cancel together', () => {
  expect(() => centralCoordinator({ acknowledge: true, cancel: true })).toThrow(ConclaveError);
});
