import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { type LocalState, type NodeId, type Protocol, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { ring, type Topology } from '@conclave/core/topology';
import { parseTrace, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { rings } from '../../checks/networks.js';
import {
  mutantOf,
  takeAll,
  withHastyLeader,
  withMachine,
} from '../../contract/machines.contract.js';
import { anyInitiators, mostRounds, shuffledRing } from '../../contract/networks.contract.js';
import { conditionsFor } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { type Event, machine } from './dolev-klawe-rodeh.js';
import { dolevKlaweRodeh } from './protocol.js';

const mutant = mutantOf(dolevKlaweRodeh);

electionContract({
  protocol: dolevKlaweRodeh,
  topologies: [
    ring(2),
    ring(['a', 'c', 'b']),
    ring(['d', 'c', 'b', 'a']),
    ring(['c', 'a', 'e', 'b', 'd']),
    shuffledRing(12, 5),
  ],
  small: [
    { topology: ring(['a', 'c', 'b']), budget: {} },
    { topology: ring(['d', 'b', 'c', 'a']), budget: { initiators: ['a', 'c'] } },
  ],
  explored: [
    ['rings of 2, any set of initiators', anyInitiators(rings(2)), {}, 54],
    ['rings of 3 in any order, any set of initiators', anyInitiators(rings(3)), {}, 784],
    ['rings of 4 in any order, any set of initiators', anyInitiators(rings(4)), {}, 19_250],
    ['rings of 5 in any order, any node may start', rings(5), {}, 96_056],
  ],
  costs: [
    ring(2),
    ring(3),
    ring(16),
    shuffledRing(16, 1),
    shuffledRing(33, 2),
    shuffledRing(64, 3),
  ],
  winner: ({ nodes }) => [...nodes].sort().at(-1) ?? '',
  mutants: {
    'a survivor keeps its own value instead of the one that won': mutant(
      'ring:a,b, 9 steps: every live node knows the one leader',
      machine.provide({ actions: { adoptLeft: assign({ left: null }) } }),
    ),
  },
});

describe('dolev-klawe-rodeh rules', () => {
  const asleep: LocalState = start(machine, 'm', { self: 'm', next: 'n' }).state;
  const after = (...events: Event[]) => takeAll(machine, 'm', asleep, events);
  const elect: Event = { type: 'elect' };
  const message = (type: 'first' | 'second' | 'elected', id: NodeId): Event => ({
    type,
    id,
    from: 'l',
  });
  const sends = (type: 'first' | 'second' | 'elected', id: NodeId) => send('n', { type, id });
  const relaying = [elect, message('first', 'a'), message('second', 'b')];
  const survivor = [elect, message('first', 'z'), message('second', 'p')];

  it('[DKR1] an initiator becomes active and sends its id', () => {
    const { state, effects } = after(elect);
    expect(state).toMatchObject({ value: { active: 'awaitingFirst' }, context: { max: 'm' } });
    expect(effects).toEqual([sends('first', 'm')]);
  });

  it('[DKR2] a first wakes a sleeping node, which becomes active before it looks at the value', () => {
    const { state, effects } = after(message('first', 'a'));
    expect(state).toMatchObject({
      value: { active: 'awaitingSecond' },
      context: { max: 'm', left: 'a' },
    });
    expect(effects).toEqual([sends('first', 'm'), sends('second', 'a')]);
    expect(after(elect, message('first', 'a')).state).toEqual(state);
  });

  it('[DKR3] an active node notes the value of a first and passes it on as second, larger or smaller', () => {
    for (const id of ['a', 'z']) {
      const { state, effects } = after(elect, message('first', id));
      expect(state).toMatchObject({
        value: { active: 'awaitingSecond' },
        context: { max: 'm', left: id },
      });
      expect(effects).toEqual([sends('second', id)]);
    }
  });

  it('[DKR4] a value larger than both its neighbours moves to the next active node, which begins a phase', () => {
    const { state, effects } = after(...survivor);
    expect(state).toMatchObject({
      value: { active: 'awaitingFirst' },
      context: { max: 'z', left: null },
    });
    expect(effects).toEqual([sends('first', 'z')]);
  });

  it('[DKR5] a node before which no such value stands is a relay from then on', () => {
    for (const [first, second] of [
      ['a', 'b'],
      ['c', 'b'],
      ['n', 'z'],
      ['a', 'z'],
    ] as const) {
      const { state, effects } = after(elect, message('first', first), message('second', second));
      expect(state.value).toBe('relaying');
      expect(effects).toEqual([]);
    }
  });

  it('[DKR6] a relay passes on first and second, larger or smaller', () => {
    for (const type of ['first', 'second'] as const)
      for (const id of ['a', 'z']) {
        const { state, effects } = after(...relaying, message(type, id));
        expect(state.value).toBe('relaying');
        expect(effects).toEqual([sends(type, id)]);
      }
  });

  it('[DKR7] a node that receives its max as first announces it', () => {
    const { state, effects } = after(...survivor, message('first', 'z'));
    expect(state).toMatchObject({ value: { announcer: 'announcing' }, context: { leader: 'z' } });
    expect(effects).toEqual([sends('elected', 'z')]);
  });

  it('[DKR8] a relay that receives elected notes the leader and passes it on; it is the leader if the id is its own', () => {
    for (const [id, value] of [
      ['z', 'follower'],
      ['m', 'leader'],
    ] as const) {
      const { state, effects } = after(...relaying, message('elected', id));
      expect(state).toMatchObject({ value, context: { leader: id } });
      expect(effects).toEqual([sends('elected', id)]);
    }
  });

  it('[DKR9] the announcer whose announcement returns has terminated', () => {
    const { state, effects } = after(...survivor, message('first', 'z'), message('elected', 'z'));
    expect(state.value).toEqual({ announcer: 'known' });
    expect(effects).toEqual([]);
  });

  it('[DKR9] without it, the announcer terminates while others do not know the leader', () => {
    const hasty = withHastyLeader(machine, 'announcer');
    const { properties } = explore(withMachine(dolevKlaweRodeh, hasty), ring(2));
    expect(
      properties.flatMap(({ name, verdict, trace }) =>
        verdict === 'violated' ? [`${name}: ${trace?.lines.length}`] : [],
      ),
    ).toEqual(['a node has terminated while another one does not know the leader: 7']);
  });
});

describe('dolev-klawe-rodeh assumptions', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  /** The two runs on the page without FIFO. */
  const shown = [...page.matchAll(/```text\n([^`]*channels: order any\n[^`]*)```/g)].map(
    ([, text = '']) => parseTrace(text),
  );
  /** The properties that are violated without FIFO, and the lengths of their traces. */
  const violated = (topology: Topology) =>
    explore(dolevKlaweRodeh, topology, { order: 'any' }).properties.flatMap(
      ({ name, verdict, trace }) =>
        verdict === 'violated' ? [`${name}: ${trace?.lines.length}`] : [],
    );
  const isNoDeadlock = (found: string) => !found.startsWith(quiescence);
  const unexpected = `${everyMessageHandled}: 2`;
  const oneLeader = 'at most one node is the leader';

  it('without FIFO a node receives an unexpected message after two steps, on the smallest ring', () => {
    const [run] = shown;
    if (!run) throw new Error('the page does not show it');
    expect(run.header.get('fault')).toContain(
      "Node a in 'active.awaitingFirst' does not handle 'second' (from b)",
    );
    expect(replay(dolevKlaweRodeh, ring(2), run)).toEqual({ steps: 2 });
    expect(violated(ring(2))).toEqual([unexpected]);
  });

  proof(
    'without FIFO the wrong node may be elected although every message is expected: on 8 of the 24 rings of 5, and on no smaller ring',
    () => {
      for (const topology of [...rings(3), ...rings(4)])
        expect(violated(topology).filter(isNoDeadlock)).toEqual([unexpected]);
      const wrong = rings(5).flatMap((topology) =>
        violated(topology).filter((found) => found !== unexpected && isNoDeadlock(found)),
      );
      expect(wrong).toEqual(
        [28, 30, 30, 29, 30, 29, 30, 28].map((steps) => `the leader has the largest id: ${steps}`),
      );
    },
  );

  it.each([
    ['a lost message', { losses: 1 }, everyMessageHandled, 3],
    ['a crash', { crashes: 1 }, 'every live node knows the one leader', 2],
    ['a duplicated message', { duplications: 1 }, everyMessageHandled, 3],
  ])(
    '%s never makes two leaders on rings of 2 and 3, and has this shortest run',
    (_what, budget, broken, steps) => {
      for (const n of [2, 3])
        expect(
          outcomeOf(ignoringUnexpected(dolevKlaweRodeh), ring(n), budget).verdicts,
        ).toMatchObject({ [oneLeader]: 'holds' });
      expect(outcomeOf(dolevKlaweRodeh, ring(2), budget).verdicts).toMatchObject({
        [broken]: `violated in ${steps}`,
      });
    },
  );

  it('the page shows the shortest such run', () => {
    const [, run] = shown;
    if (!run) throw new Error('the page does not show it');
    const topology = ring(['a', 'c', 'b', 'e', 'd']);
    expect(run.header.get('topology')).toBe(topology.spec);
    expect(replay(dolevKlaweRodeh, topology, run)).toEqual({ steps: 28 });
    expect(run.lines.at(-1)).toMatchObject({ node: 'd', after: 'leader' });
    expect(violated(topology)).toContain('the leader has the largest id: 28');
  });
});

describe('dolev-klawe-rodeh cost', () => {
  const run = (topology: Topology, protocol: Protocol = dolevKlaweRodeh) =>
    simulate({ protocol, topology, workload: oneShot({ type: 'elect' }) });

  /**
   * The number of times that the values which are not local maxima can be removed until one is
   * left.
   */
  const phases = (values: readonly NodeId[]): number => {
    if (values.length === 1) return 0;
    const before = (i: number) => values.at(i - 1) ?? '';
    const behind = (i: number) => values[(i + 1) % values.length] ?? '';
    return 1 + phases(values.filter((value, i) => value > before(i) && value > behind(i)));
  };

  proof('is 2n⌊log₂ n⌋ + 2n at most, and 4n if ids rise or fall, for n = 2 … 64', () => {
    for (let n = 2; n <= 64; n++) {
      const names = ring(n).nodes;
      const most = Math.floor(Math.log2(n));
      expect(run(ring(mostRounds(names))).messages).toEqual({
        first: n * most + n,
        second: n * most,
        elected: n,
      });
      for (const ids of [names, [...names].reverse()])
        expect(run(ring(ids)).messages).toEqual({ first: 2 * n, second: n, elected: n });
    }
  });

  proof(
    'is 2n per phase on random rings of 8 … 64, for all initiators and delays, and at most 2n⌊log₂ n⌋ + 2n',
    () => {
      const met = new Set<number>();
      for (let n = 8; n <= 64; n += 7)
        for (let seed = 1; seed <= 10; seed++) {
          const topology = shuffledRing(n, seed);
          const expected = phases(topology.nodes);
          met.add(expected);
          for (const nodes of [
            topology.nodes,
            topology.nodes.filter((_, i) => i % 5 === seed % 5),
            topology.nodes.slice(-1),
          ])
            for (const conditions of conditionsFor(dolevKlaweRodeh)) {
              const workload = oneShot(
                { type: 'elect' },
                { nodes, after: { kind: 'exponential', mean: 30 } },
              );
              const { messages } = simulate({
                protocol: dolevKlaweRodeh,
                topology,
                workload,
                conditions,
                seed,
              });
              expect(messages).toEqual({
                first: n * expected + n,
                second: n * expected,
                elected: n,
              });
            }
          expect(2 * n * expected + 2 * n).toBeLessThanOrEqual(
            dolevKlaweRodeh.cost?.messages(n).most ?? 0,
          );
        }
      expect([...met].sort()).toEqual([2, 3, 4]);
    },
  );

  proof(
    'is 2n² if a value must be larger than one neighbour only, with the same leader in every interleaving',
    () => {
      const oneSided = withMachine(
        dolevKlaweRodeh,
        machine.provide({
          guards: {
            leftIsLocalMaximum: ({ context }) =>
              context.left !== null && context.left > context.max,
          },
        }),
      );
      for (const topology of rings(4))
        for (const { kind, verdict } of explore(oneSided, topology).properties)
          expect(verdict).toBe(kind === 'sometimes' ? 'reached' : 'holds');
      for (const n of [2, 8, 64])
        expect(totalMessages(run(ring(ring(n).nodes.toReversed()), oneSided))).toBe(2 * n * n);
    },
  );
});
