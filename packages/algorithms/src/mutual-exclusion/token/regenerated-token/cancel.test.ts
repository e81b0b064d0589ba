import { ring } from '@conclave/core/topology';
import { withMachine, withState } from '../../../contract/mutant.js';
import { cancelContract } from '../../cancel.contract.js';
import { regeneratedToken } from './protocol.js';
import { cancellableMachine } from './regenerated-token.js';

const protocol = regeneratedToken({ coordinator: 'a', cancel: true });
const wanted = cancellableMachine.config.states?.client?.states?.wanted?.on;

cancelContract({
  protocol,
  topologies: [ring(3)],
  explored: [{ what: '2 nodes, a request each, a loss', systems: [{ topology: ring(2), budget: { losses: 1 } }], states: 3_894 }],
  costs: [],
  mutants: {
    'a cancelled request is not withdrawn': {
      protocol: withMachine(protocol, withState(cancellableMachine, ['client', 'wanted'], { on: { ...wanted, cancel: {} } })),
      refuted: 'ring:2, 3 steps: a node whose application cancels waits no more, and does not enter',
    },
  },
});

cancelContract({
  protocol: regeneratedToken({ cancel: true }),
  topologies: [ring(3)],
  explored: [{ what: '2 nodes that elect the coordinator, a request each', systems: [{ topology: ring(2), budget: {} }], states: 3_075 }],
  costs: [],
  mutants: {},
});
