import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { start, step } from '@conclave/core/protocol';
import { simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { withMachine } from '../../contract/mutant.js';
import { electionContract } from '../election.contract.js';
import { viewLeader } from './protocol.js';
import { machine } from './view-leader.js';

const protocol = viewLeader();
const mutant = (refuted: string, changed: typeof machine) => ({ protocol: withMachine(protocol, changed), refuted });

electionContract({
  protocol,
  topologies: [2, 3, 4].map((n) => complete(n)),
  small: [{ topology: complete(2), budget: { commands: 1 } }],
  explored: [
    { what: '2 nodes', systems: [{ topology: complete(2), budget: {} }], states: 0 },
    { what: '3 nodes, all but one may crash', systems: [{ topology: complete(3), budget: { commands: 0, crashes: 2 } }], states: 0 },
    { what: '4 nodes, two of which may crash', systems: [{ topology: complete(4), budget: { commands: 0, crashes: 2 } }], states: 0 },
  ],
  covered: [],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  winner: ({ nodes }) => nodes[0] ?? '',
  mutants: {
    'the largest member leads': mutant(
      '',
      machine.provide({ guards: { isSmallest: ({ context, event }: Given) => lastOf(event) === Reflect.get(context, 'self') } }),
    ),
    'every member leads': mutant('', machine.provide({ guards: { isSmallest: () => true } })),
    'a node does not note the leader': mutant('', machine.provide({ actions: { follow: assign({}) } })),
  },
});

interface Given {
  readonly context: object;
  readonly event: object;
}
const lastOf = (event: object): unknown => [Reflect.get(event, 'members')].flat().at(-1);
