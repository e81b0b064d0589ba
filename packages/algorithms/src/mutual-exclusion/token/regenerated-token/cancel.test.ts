import { start } from '@conclave/core/internal/protocol';
import { send } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { expect, it } from 'vitest';
import { withMachine, withState } from '../../../contract/mutant.js';
import { takeAll } from '../../../contract/take-all.js';
import { cancelContract } from '../../cancel.contract.js';
import { regeneratedToken } from './protocol.js';
import { cancellableMachine } from './regenerated-token.js';

const protocol = regeneratedToken({ coordinator: 'a', cancel: true });
const wanted = cancellableMachine.config.states?.client?.states?.wanted?.on;

cancelContract({
  protocol,
  topologies: [ring(3)],
  explored: [['2 nodes, a request each, a loss', ring(2), { losses: 1 }, 3_894]],
  costs: [],
  mutants: {
    'a cancelled request is not withdrawn': {
      protocol: withMachine(
        protocol,
        withState(cancellableMachine, ['client', 'wanted'], { on: { ...wanted, cancel: {} } }),
      ),
      refuted:
        'ring:2, 3 steps: a node whose application cancels waits no more, and does not enter',
    },
  },
});

cancelContract({
  protocol: regeneratedToken({ cancel: true }),
  topologies: [ring(3)],
  explored: [['2 nodes that elect the coordinator, a request each', ring(2), {}, 3_075]],
  costs: [],
  mutants: {},
});

it('[RT12] a node that cancels passes the token on', () => {
  const input = {
    self: 'b',
    next: 'c',
    coordinator: false,
    seen: 0,
    timeout: 1000,
    blindRegenerations: 1,
  };
  const events = [
    { type: 'acquire' },
    { type: 'cancel' },
    { type: 'token', epoch: 1, entries: 4, from: 'a' },
  ];
  const { state: first } = start(cancellableMachine, 'b', input);
  const { state, effects } = takeAll(cancellableMachine, 'b', first, events);
  expect([state.value, effects]).toEqual([
    { client: 'released', regenerator: 'off' },
    [send('c', { type: 'token', epoch: 1, entries: 4 })],
  ]);
});
