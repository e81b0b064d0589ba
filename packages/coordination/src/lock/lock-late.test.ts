import { setImmediate as turn } from 'node:timers/promises';
import { protocolOf } from '@conclave/algorithms';
import { acyclicGraph } from '@conclave/algorithms/acyclic-graph';
import { optionalCommands } from '@conclave/core/internal';
import { handStepped } from '@conclave/core/internal/embedding';
import { expect, it } from 'vitest';
import { refusal } from '../election/elections.contract.js';
import { lock } from './lock.js';

it.each([
  ['central-coordinator', 'b', 'a'],
  ['lamport', 'b', 'a, c'],
  ['ricart-agrawala', 'b', 'a, c'],
  ['ricart-agrawala-ring', 'b', 'a'],
  ['ricart-agrawala-echo', 'a', 'b, c'],
  ['interval-reservation', 'b', 'a, c'],
  ['maekawa', 'b', 'c'],
  ['leased-majority', 'b', 'a, c'],
  ['ricart-agrawala-83', 'b', 'c, a'],
  ['suzuki-kasami', 'b', 'c, a'],
  ['echo-token', 'c', 'a'],
  ['tree-token', 'c', 'a'],
  ['raymond', 'c', 'a'],
  ['naimi-trehel', 'b', 'a, c'],
  ['acyclic-graph', 'c', 'a'],
  ['hunted-token', 'b', 'a'],
  ['token-ring', 'b', 'a'],
  ['regenerated-token', 'b', 'a'],
  ['hierarchical', 'b', 'a'],
  ['causal-fairness', 'b', 'a, c'],
  ['group-lock', 'b', 'a'],
])(
  'by %s, a call that is late names the nodes for which its node waits',
  async (name, self, others) => {
    const protocol =
      name === 'acyclic-graph' ? acyclicGraph({ startUp: 'given' }) : protocolOf(name);
    const topology = protocol.topology.example(3);
    const network = handStepped(topology, protocol.channels);
    const bare = network.transport(self);
    const transport = { ...bare, guarantees: { ...bare.guarantees, crashes: 'reported' } } as const;
    const { type: _acquire, ...claim } = optionalCommands(protocol)[0] ?? { type: 'acquire' };
    const late = refusal(
      lock(protocol, { self, topology, transport, clock: network.clock(self), claim }).acquire({
        waitFor: 50,
      }),
    );
    await turn(); // after many entries, the next waits for this
    network.fire(self, 'timer');
    expect((await late).what).toBe(
      `Node ${self} did not get the lock within 50 ms: it waits for ${others}`,
    );
  },
);
