import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, enqueueActions } from 'xstate';
import { explore } from '../exploration/explore.js';
import type { Budget } from '../exploration/worlds/budget.js';
import type { NodeId, Received } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { complete } from '../topology/generators.js';
import { type Greeting, machine, type SessionContext } from './session-machine.js';
import { sessionProtocol } from './session-protocol.js';

const mayCrash = ({ id, value }: NodeView) => id === 'a' && value === 'admitted';

interface Case {
  readonly nodes: number;
  readonly repeats?: number;
  readonly budget: Budget;
}

const found = ({ nodes, repeats = 0, budget }: Case, protocol: Protocol = sessionProtocol({ repeats })) =>
  explore(protocol, complete(['a', 'b', 'c'].slice(0, nodes)), { ...budget, limits: { states: 2_000_000 } });

const verdicts = ({ properties }: ReturnType<typeof explore>) => properties.map(({ name, verdict }) => `${name}: ${verdict}`);

const right = [
  'all nodes that have started know the same incarnations: holds',
  'no incarnation starts that the others have not met: holds',
  'all nodes have started: reached',
  'every message is handled or explicitly ignored: holds',
];

describe('the admission of nodes, in every interleaving', () => {
  it.each<[string, number, Case]>([
    ['two nodes', 74, { nodes: 2, budget: {} }],
    ['two nodes, a loss, a repetition', 2019, { nodes: 2, repeats: 1, budget: { losses: 1 } }],
    ['two nodes, a duplication, a restart', 51_334, { nodes: 2, budget: { duplications: 1, crashes: 1, restarts: 1 } }],
    ['two nodes, two restarts, in any order', 832_562, { nodes: 2, budget: { crashes: 2, restarts: 2 } }],
    ['two nodes, three restarts, fifo', 44_190, { nodes: 2, budget: { crashes: 3, restarts: 3, order: 'fifo' } }],
    ['three nodes, fifo', 317_316, { nodes: 3, budget: { order: 'fifo' } }],
    [
      'three nodes, the first of which may restart after its start, fifo',
      1_151_242,
      { nodes: 3, budget: { crashes: 1, restarts: 1, order: 'fifo', mayCrash } },
    ],
  ])('no two generations mix: %s', (_what, states, given) => {
    const result = found(given);
    expect(verdicts(result)).toEqual(right);
    expect(result.states).toBe(states);
  });

  const small: readonly Case[] = [
    { nodes: 2, budget: { crashes: 2, restarts: 2, order: 'fifo' } },
    { nodes: 3, budget: { crashes: 1, restarts: 1, order: 'fifo' } },
  ];
  const learning = (what: (context: SessionContext, from: NodeId) => Partial<SessionContext>) =>
    enqueueActions<SessionContext, Received<Greeting>, undefined, Received<Greeting>, never, never, never, never, never>(
      ({ context, event, enqueue }) => {
        enqueue.assign({ known: { ...context.known, [event.from]: event.incarnation }, ...what(context, event.from) });
      },
    );
  const wrong: readonly (readonly [what: string, machine: AnyStateMachine])[] = [
    [
      'starts when all have welcomed it, whatever they know',
      machine.provide({ actions: { learn: learning(({ agreed }, from) => ({ agreed: [...new Set([...agreed, from])] })) } }),
    ],
  ];
  it.each(wrong)('a node that %s is refuted', (_what, changed) => {
    const protocol = sessionProtocol({ repeats: 0 });
    const { node } = protocol.roles;
    if (!node) throw new Error('its one role');
    const refuted = small.flatMap((given) => found(given, { ...protocol, roles: { node: { ...node, machine: changed } } }).properties);
    expect(refuted.filter(({ verdict }) => verdict === 'violated').map(({ name }) => name)).toContain(
      'all nodes that have started know the same incarnations',
    );
  });
});
