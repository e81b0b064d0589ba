import type { Budget } from '@conclave/check';
import { explore, walk } from '@conclave/check';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, emit, enqueueActions } from 'xstate';
import { notify, type Received, send } from '../protocol/node.js';
import type { NodeView } from '../protocol/property.js';
import type { Protocol } from '../protocol/protocol.js';
import { start, step } from '../protocol/step.js';
import { complete } from '../topology/generators.js';
import { type Greeting, machine, type SessionContext, sessionProtocol } from './session-machine.js';

const mayCrash = ({ id, value }: NodeView) => id === 'a' && value === 'admitted';

interface Case {
  readonly nodes: number;
  readonly repeats?: number;
  readonly budget: Budget;
}

const found = (
  { nodes, repeats = 0, budget }: Case,
  protocol: Protocol = sessionProtocol({ repeats }),
) =>
  explore(protocol, complete(['a', 'b', 'c'].slice(0, nodes)), {
    ...budget,
    limits: { states: 2_000_000 },
  });

const verdicts = ({ properties }: ReturnType<typeof explore>) =>
  properties.map(({ name, verdict }) => `${name}: ${verdict}`);

const right = [
  'all nodes that have started know the same incarnations: holds',
  'no incarnation starts that the others have not met: holds',
  'two nodes that have started and know each other know the same incarnations, also after a crash: holds',
  'all nodes have started: reached',
  'every message is handled or explicitly ignored: holds',
  'no step fails: holds',
];

it('a node that has not started tells an incarnation that it was replaced, and learns nothing of it', () => {
  const terms = {};
  const input = { self: 'b', peers: ['a', 'c'], incarnation: 0, terms, helloAfter: 9, repeats: 0 };
  const hello = (incarnation: number) => {
    return { type: 'hello', incarnation, known: { a: incarnation }, terms, from: 'a' };
  };
  const met = step(machine, 'b', start(machine, 'b', input).state, hello(2)).state;
  const { state, effects } = step(machine, 'b', met, hello(1));
  expect(state.context).toMatchObject({ known: { a: 2, b: 1 }, refused: { a: 1 } });
  const refusal = {
    incarnation: 1,
    addressed: 1,
    reason: 'replaced',
    known: { a: 2, b: 1 },
    terms,
  };
  expect(effects).toEqual([
    send('a', { type: 'refusal', ...refusal }),
    notify({ type: 'refuses', node: 'a', incarnation: 1, reason: 'replaced', terms }),
  ]);
});

describe('the admission of nodes, in every interleaving', () => {
  const cases: readonly (readonly [string, number, Case])[] = [
    ['two nodes', 74, { nodes: 2, budget: {} }],
    ['two nodes, a loss, a repetition', 2019, { nodes: 2, repeats: 1, budget: { losses: 1 } }],
    [
      'two nodes, a duplication, a restart',
      53_442,
      { nodes: 2, budget: { duplications: 1, crashes: 1, restarts: 1 } },
    ],
    [
      'two nodes, two restarts, in any order',
      858_268,
      { nodes: 2, budget: { crashes: 2, restarts: 2 } },
    ],
    [
      'two nodes, three restarts, fifo',
      69_966,
      { nodes: 2, budget: { crashes: 3, restarts: 3, order: 'fifo' } },
    ],
    ['three nodes, fifo', 317_316, { nodes: 3, budget: { order: 'fifo' } }],
    [
      'three nodes, the first of which may restart after its start, fifo',
      1_347_198,
      { nodes: 3, budget: { crashes: 1, restarts: 1, order: 'fifo', mayCrash } },
    ],
  ];
  const mixesNone = (_what: string, states: number, given: Case) => {
    const result = found(given);
    expect(verdicts(result)).toEqual(right);
    expect(result.states).toBe(states);
  };
  it.each(cases.slice(0, 2))('no two generations mix: %s', mixesNone);
  proof.each(cases.slice(2))('no two generations mix: %s', (...given) => {
    mixesNone(...given);
  });

  const small: readonly Case[] = [
    { nodes: 2, budget: { crashes: 2, restarts: 2, order: 'fifo' } },
    { nodes: 3, budget: { crashes: 1, restarts: 1, order: 'fifo' } },
  ];
  /** The action of the machine, without the comparison. */
  const learn = enqueueActions<
    SessionContext,
    Received<Greeting>,
    undefined,
    Received<Greeting>,
    never,
    never,
    never,
    never,
    never
  >(({ context, event: { from, incarnation }, enqueue }) => {
    enqueue.assign({
      known: { ...context.known, [from]: incarnation },
      agreed: [...new Set([...context.agreed, from])].sort(),
    });
  });
  const mixed = 'all nodes that have started know the same incarnations: violated';
  const wrong: readonly (readonly [what: string, found: string, machine: AnyStateMachine])[] = [
    [
      'starts when all have welcomed it, whatever they know',
      mixed,
      machine.provide({ actions: { learn } }),
    ],
    [
      'tells a restarted node what that node knows',
      mixed,
      machine.provide({
        actions: {
          welcome: emit(
            ({
              context,
              event,
            }: {
              readonly context: SessionContext;
              readonly event: Received<Greeting>;
            }) =>
              send<Greeting>(event.from, {
                type: 'welcome',
                incarnation: context.incarnation,
                known: event.known,
              }),
          ),
        },
        guards: { isAnother: () => false, knowsAnother: () => false },
      }),
    ],
    [
      'starts when all but one agree',
      mixed,
      machine.provide({ guards: { allAgree: ({ context }) => context.agreed.length >= 1 } }),
    ],
  ];
  proof.each(wrong)('a node that %s is refuted', (_what, expected, changed) => {
    const protocol = sessionProtocol({ repeats: 0 });
    const { node } = protocol.roles;
    if (!node) throw new Error('its one role');
    const changedProtocol = { ...protocol, roles: { node: { ...node, machine: changed } } };
    expect(small.flatMap((given) => verdicts(found(given, changedProtocol)))).toContain(expected);
  });

  proof('no two generations mix in walks of four nodes, with all faults', () => {
    const budget = { crashes: 2, restarts: 2, losses: 2, duplications: 2, order: 'any' } as const;
    const { properties, states } = walk(sessionProtocol({ repeats: 1 }), complete(4), {
      ...budget,
      seed: 7,
      walks: 10,
      steps: 120,
    });
    expect(properties.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
    expect(states).toBeGreaterThan(1000);
  });
});
