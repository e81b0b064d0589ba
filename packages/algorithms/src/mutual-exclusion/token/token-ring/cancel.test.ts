import { start } from '@conclave/core/internal/protocol';
import { send } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { expect, it } from 'vitest';
import { withMachine, withState } from '../../../contract/mutant.js';
import { takeAll } from '../../../contract/take-all.js';
import { cancelContract } from '../../cancel.contract.js';
import { tokenRing } from './protocol.js';
import { cancellableMachine } from './token-ring.js';

const protocol = tokenRing({ cancel: true });
const wanted = cancellableMachine.config.states?.wanted?.on;

cancelContract({
  protocol,
  topologies: [2, 3, 5].map((n) => ring(n)),
  explored: [
    ['2 nodes, 3 requests each', ring(2), { commands: 3 }, 704],
    ['3 nodes, 2 requests each', ring(3), { commands: 2 }, 2_916],
    ['4 nodes, a request each', ring(4), {}, 1_280],
  ],
  covered: {
    topology: ring(3),
    budget: {},
    states: 240,
    transitions: 576,
    depth: 11,
    undelivered: ['held: token', 'starting: token'],
  },
  costs: [],
  mutants: {
    'a cancelled request is not withdrawn': {
      protocol: withMachine(
        protocol,
        withState(cancellableMachine, ['wanted'], { on: { ...wanted, cancel: {} } }),
      ),
      refuted:
        'ring:2, 3 steps: a node whose application cancels waits no more, and does not enter',
    },
  },
});

it('[TR5] a node that cancels passes the token on', () => {
  const token = { type: 'token', entries: 4, from: 'a' };
  const { state: first } = start(cancellableMachine, 'b', { next: 'c', first: false });
  const events = [{ type: 'acquire' }, { type: 'cancel' }, token];
  const { state, effects } = takeAll(cancellableMachine, 'b', first, events);
  expect([state.value, effects]).toEqual(['released', [send('c', { type: 'token', entries: 4 })]]);
});
