import { readFileSync } from 'node:fs';
import { type Expectation, expected, explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import {
  almostSurely,
  always,
  atMost,
  type LocalState,
  type NodeId,
  type Protocol,
  type SystemView,
  send,
} from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { chain, star, type Topology, topology, tree } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { emit } from 'xstate';
import { extremesOf } from '../../contract/cost.contract.js';
import { everyInterleavingOfVariant } from '../../contract/explored.contract.js';
import { failing, propertyNamed } from '../../contract/findings.contract.js';
import { mutantOf, withMachine, withState } from '../../contract/machines.contract.js';
import { labelledTrees } from '../../contract/networks.contract.js';
import { conditionsFor } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { decision } from '../election.js';
import { type Event, type Input, machine, tieBreakingMachine } from './firewire.js';
import { firewire } from './protocol.js';

const [random, byId] = [firewire(), firewire({ tieBreak: 'id' })];
const mutant = mutantOf(random);
const breakingTies = (refuted: string, changed: Parameters<typeof withMachine>[1]) => ({
  protocol: withMachine(byId, changed),
  refuted,
});

/** A node of three branches, one of them longer. */
const fork = topology('edges:a-b,b-c,b-d,d-e');
/** All trees of two and three nodes, labelled in every way; each node may start. */
const smallTrees = [2, 3]
  .flatMap((n) => labelledTrees(n))
  .map((one) => ({ topology: one, budget: {} }));
/** The trees of two to four nodes, in one labelling each. */
const shapes = [chain(2), chain(3), chain(4), star(4)].map((one) => ({
  topology: one,
  budget: {},
}));

electionContract({
  protocol: random,
  topologies: [chain(2), chain(3), star(4), fork],
  small: [
    { topology: chain(2), budget: {} },
    { topology: chain(3), budget: { initiators: ['b'] } },
  ],
  explored: [
    ['the trees of 2 to 4 nodes, any node may start', shapes, {}, 48_213],
    ['the trees of 5 nodes, a starts', [chain(5), star(5), fork], { initiators: ['a'] }, 13_118],
  ],
  costs: [chain(2), chain(9), star(9), tree(2, 31), tree(3, 40)],
  winner: ({ nodes }) => nodes,
  mutants: {
    'a node in contention becomes the root at once': mutant(
      'chain:2, 6 steps: at most one node is the leader',
      withState(machine, ['asking'], {
        on: {
          elect: {},
          'bus-reset': {},
          'you-are-my-child': { target: 'child' },
          'be-my-parent': { target: 'root', actions: ['adopt', 'win', 'announce'] },
        },
      }),
    ),
  },
});

describe('B10 firewire, tieBreak=id', () => {
  everyInterleavingOfVariant(
    byId,
    [['the trees of 2 and 3 nodes with all ids, any node may start', smallTrees, {}, 2_763]],
    {
      'the winner of contention does not answer': breakingTies(
        'edges:a,b,a-b, 4 steps: a node adopts each neighbour that asks it, unless it has asked that neighbour itself',
        tieBreakingMachine.provide({
          actions: {
            adopt: emit(({ context }) => send(context.neighbours[0] ?? '', { type: 'bus-reset' })),
          },
        }),
      ),
    },
  );

  it('a node that is alone is the root', () => {
    for (const protocol of [random, byId]) {
      const { leader, messages } = simulate({
        protocol,
        topology: chain(1),
        workload: oneShot({ type: 'elect' }),
      });
      expect({ leader, messages }).toEqual({ leader: 'a', messages: {} });
    }
  });
});

describe('firewire rules', () => {
  const input: Input = { self: 'm', neighbours: ['l', 'n', 'o'], pause: 10, short: 240, long: 570 };
  const begin = (
    chart: typeof machine | typeof tieBreakingMachine,
    neighbours: readonly NodeId[],
  ): LocalState => start(chart, 'm', { ...input, neighbours: [...neighbours] }).state;
  type Step = Event | 'time';
  const on = (
    chart: typeof machine | typeof tieBreakingMachine,
    neighbours: readonly NodeId[],
    ...events: readonly Step[]
  ) =>
    events.reduce(
      (taken, event) => {
        const timer = taken.state.timers[0];
        return step(
          chart,
          'm',
          taken.state,
          event === 'time' ? (timer?.event ?? { type: 'no timer' }) : event,
        );
      },
      { state: begin(chart, neighbours), effects: [] } as ReturnType<typeof step>,
    );
  const after = (...events: readonly Step[]) => on(machine, input.neighbours, ...events);
  const elect: Event = { type: 'elect' };
  const from = (id: NodeId, type: 'bus-reset' | 'be-my-parent' | 'you-are-my-child'): Event => ({
    type,
    from: id,
  });
  const sent = ({ effects }: ReturnType<typeof step>) =>
    effects.filter(({ type }) => type === 'send');
  const asked = [elect, from('l', 'be-my-parent'), from('n', 'be-my-parent'), 'time'] as const;

  it('[FW1] an initiator sends a bus reset to all neighbours', () => {
    const taken = after(elect);
    expect(taken.state.value).toBe('collecting');
    expect(sent(taken)).toEqual(['l', 'n', 'o'].map((id) => send(id, { type: 'bus-reset' })));
  });

  it('[FW2] a bus reset wakes a node, which passes it on; a second one is ignored', () => {
    const taken = after(from('n', 'bus-reset'));
    expect(taken.state.value).toBe('collecting');
    expect(sent(taken)).toEqual(['l', 'o'].map((id) => send(id, { type: 'bus-reset' })));
    expect(sent(after(elect, from('n', 'bus-reset')))).toEqual([]);
  });

  it('[FW3] a neighbour that asks becomes a child, and is told so', () => {
    const taken = after(elect, from('n', 'be-my-parent'));
    expect(taken.state).toMatchObject({ value: 'collecting', context: { children: ['n'] } });
    expect(sent(taken)).toEqual([send('n', { type: 'you-are-my-child' })]);
  });

  it('[FW4] a node with one neighbour left waits a while for its request, then asks it', () => {
    expect(after(...asked.slice(0, 3)).state).toMatchObject({
      value: 'ready',
      timers: [{ delay: 10 }],
    });
    const taken = after(...asked);
    expect(taken.state.value).toBe('asking');
    expect(sent(taken)).toEqual([send('o', { type: 'be-my-parent' })]);
    expect(on(machine, ['l'], elect).state.value).toBe('ready');
  });

  it('[FW5] a node whose request is answered has a parent', () => {
    const taken = after(...asked, from('o', 'you-are-my-child'));
    expect(taken.state.value).toBe('child');
    expect(sent(taken)).toEqual([]);
  });

  it('[FW6] a node that all neighbours have asked is the root and announces it to them', () => {
    const taken = after(...asked.slice(0, 3), from('o', 'be-my-parent'));
    expect(taken.state).toMatchObject({ value: 'root', context: { leader: 'm' } });
    expect(sent(taken)).toEqual([
      send('o', { type: 'you-are-my-child' }),
      ...['l', 'n', 'o'].map((id) => send(id, { type: 'elected', id: 'm' })),
    ]);
  });

  it('[FW7] in contention a node draws a short or a long wait', () => {
    const drawing = after(...asked, from('o', 'be-my-parent'));
    expect(drawing.state.value).toEqual({ contending: 'drawing' });
    expect(drawing.effects).toEqual([
      { type: 'choose', options: ['short', 'long'], weights: [1, 1] },
    ]);
    for (const [value, delay] of [
      ['short', 240],
      ['long', 570],
    ] as const)
      expect(
        after(...asked, from('o', 'be-my-parent'), { type: 'chosen', value }).state,
      ).toMatchObject({ value: { contending: value }, timers: [{ delay }] });
  });

  it('[FW8] after the wait it asks again, unless the other has asked meanwhile: then it is the root', () => {
    const waiting = [
      ...asked,
      from('o', 'be-my-parent'),
      { type: 'chosen', value: 'long' },
    ] as const;
    const again = after(...waiting, 'time');
    expect(again.state.value).toBe('asking');
    expect(sent(again)).toEqual([send('o', { type: 'be-my-parent' })]);
    const root = after(...waiting, from('o', 'be-my-parent'));
    expect(root.state).toMatchObject({
      value: 'root',
      context: { leader: 'm', children: ['l', 'n', 'o'] },
      timers: [],
    });
  });

  it('[FW9] with tieBreak id, the node with the larger id is the root, and the other goes on waiting for the answer', () => {
    expect(
      on(tieBreakingMachine, ['l'], elect, 'time', from('l', 'be-my-parent')).state.value,
    ).toBe('root');
    const smaller = on(tieBreakingMachine, ['z'], elect, 'time', from('z', 'be-my-parent'));
    expect(smaller).toMatchObject({ state: { value: 'asking' }, effects: [] });
  });

  it('[FW10] a node with a parent learns the root from it, and passes it on to its children', () => {
    const taken = after(...asked, from('o', 'you-are-my-child'), {
      type: 'elected',
      id: 'z',
      from: 'o',
    });
    expect(taken.state).toMatchObject({ value: 'follower', context: { leader: 'z' } });
    expect(sent(taken)).toEqual(['l', 'n'].map((id) => send(id, { type: 'elected', id: 'z' })));
  });
});

describe('firewire assumptions', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const leaders = 'at most one node is the leader';

  it.each([
    ['a lost message', { losses: 1 }, everyMessageHandled, 3],
    ['a crash', { crashes: 1 }, quiescence, 6],
    ['a duplicated message', { duplications: 1 }, leaders, 9],
    ['a restart', { crashes: 1, restarts: 1 }, everyMessageHandled, 5],
    ['a message that overtakes another', { order: 'any' as const }, everyMessageHandled, 2],
  ])(
    '%s has this shortest run on a chain of three that a starts',
    (_what, faults, broken, steps) => {
      const { verdicts, traces } = outcomeOf(byId, chain(3), { ...faults, initiators: ['a'] });
      expect(verdicts).toMatchObject({ [broken]: `violated in ${steps}` });
      if (broken === leaders) expect(page).toContain(traces[leaders]);
    },
  );

  proof(
    'a lost message, a crash or another order never makes two roots of two or three nodes',
    () => {
      for (const protocol of [random, byId])
        for (const one of [chain(2), chain(3)])
          for (const budget of [{ losses: 1 }, { crashes: 1 }, { order: 'any' as const }])
            expect(
              outcomeOf(ignoringUnexpected(protocol), one, { ...budget, initiators: ['a'] })
                .verdicts,
            ).toMatchObject({ [leaders]: 'holds' });
    },
  );
});

describe('firewire cost', () => {
  const run = (one: Topology, protocol = random, nodes: readonly NodeId[] = one.nodes, seed = 1) =>
    simulate({
      protocol,
      topology: one,
      workload: oneShot({ type: 'elect' }, { nodes }),
      seed,
      conditions: conditionsFor(protocol).at(-1) ?? {},
    });

  proof(
    'is 2(n−1) to find the root without contention, and two messages more for each one; one message more with ids',
    () => {
      for (const [protocol, more] of [
        [random, [0, 2, 4]],
        [byId, [0, 1]],
      ] as const) {
        const met = new Set<number>();
        for (const one of [chain(2), chain(5), star(6), fork, tree(2, 15)])
          for (let seed = 1; seed <= 20; seed++) {
            const links = one.nodes.length - 1;
            const { messages } = run(one, protocol, one.nodes, seed);
            expect(messages).toMatchObject(
              links > 0 ? { 'you-are-my-child': links, elected: links } : {},
            );
            met.add((messages['be-my-parent'] ?? 0) - links);
          }
        expect([...met].filter((count) => count % (protocol === random ? 2 : 1) !== 0)).toEqual([]);
        expect([...met]).toEqual(expect.arrayContaining([...more]));
        if (protocol === byId) expect(Math.max(...met)).toBe(1);
      }
    },
  );

  it('is n−1 to start if one node does, and one more for each further node that starts by itself', () => {
    for (const one of [chain(5), star(6), fork]) {
      const links = one.nodes.length - 1;
      expect(run(one, byId, one.nodes.slice(0, 1)).messages['bus-reset']).toBe(links);
      expect(run(one, byId).messages['bus-reset']).toBe(2 * links);
    }
  });

  proof('elects a root of 1,023 nodes', () => {
    const { messages, properties } = run(tree(2, 1023), byId, ['n0000']);
    expect(totalMessages({ messages })).toBeGreaterThanOrEqual(4 * 1022);
    expect(totalMessages({ messages })).toBeLessThanOrEqual(4 * 1022 + 1);
    expect(failing({ properties })).toEqual([]);
  });
});

// How many rounds of contention by chance there are in exact time, as probabilities.

/** In each round of contention both nodes draw a wait. */
function contended(
  [least, most]: readonly [number, number],
  difference: number,
  rounds: number,
): Expectation {
  return expected(firewire({ pause: 1, short: 1, long: 1 + difference }), chain(2), {
    initiators: ['a'],
    time: { kind: 'exact', delay: [least, most], tick: 1 },
    ...{ cost: 'draws', within: 2 * rounds },
  });
}

describe.each([
  [1, 1],
  [0, 1],
] as const)('contention of firewire, with delays from %i to %i ms', (least, most) => {
  const delays = [least, most] as const;

  it('ends within j rounds with probability 1 − 2⁻ʲ, if waits differ by enough', () => {
    for (const [rounds, probability] of ['0', '1/2', '3/4'].entries()) {
      const { expectation, within } = contended(delays, 2 * most + 1, rounds);
      // there need be none: one node may ask before the other one is ready
      expect([extremesOf(within), extremesOf(expectation)]).toEqual([
        [probability, '1'],
        ['0', '4'],
      ]);
    }
  });
});

it('contention of firewire ends with probability 1 − (3/4)ʲ, if waits differ by less', () => {
  // the longer wait of the one can end with the shorter one of the other: two draws must be right
  for (const [rounds, probability] of ['0', '1/4', '7/16'].entries()) {
    const { expectation, within } = contended([0, 1], 2, rounds);
    expect([extremesOf(within), extremesOf(expectation)]).toEqual([
      [probability, '1'],
      ['0', '8'],
    ]);
  }
});

// Contention: where it may be, and how it ends.

const ends = almostSurely(
  'the election ends',
  (system: SystemView) => system.count('decided') === system.live,
);

describe('contention of firewire, at any speed of messages and timers', () => {
  proof('may be at each edge: each two neighbours can ask each other', () => {
    for (const topology of labelledTrees(3))
      for (const { from, to } of topology.links) {
        const never = `${from} and ${to} never ask each other`;
        const asks = (system: SystemView, id: NodeId, other: NodeId) => {
          const { tags, context } = system.node(id);
          return (
            tags.has('asking') &&
            Array.isArray(context.children) &&
            !context.children.includes(other)
          );
        };
        const property = always(
          never,
          (system) => !(asks(system, from, to) && asks(system, to, from)),
        );
        expect(
          propertyNamed(explore(random, topology, { properties: [property] }).properties, never)
            .verdict,
        ).toBe('violated');
      }
  });

  proof(
    'ends in every fair run with tieBreak id, and need not end with random waits, whatever is drawn',
    () => {
      expect(
        propertyNamed(explore(byId, chain(2)).properties, 'every live node knows the one leader')
          .verdict,
      ).toBe('holds');
      const { states, properties } = explore(random, chain(2), { properties: [ends] });
      expect([states, propertyNamed(properties, ends.name).verdict]).toEqual([123, 'violated']);
    },
  );
});

// How contention by chance ends in exact time.

/** The least and the most delay of a message, in milliseconds. */
const ranges = [
  [1, 1],
  [2, 2],
  [0, 1],
  [1, 2],
  [0, 2],
] as const;

const exactly = (delay: readonly [number, number]) =>
  ({ time: { kind: 'exact', delay, tick: 1 } }) as const;
const waits = (difference: number) => firewire({ pause: 1, short: 1, long: 1 + difference });
/** Whether the election ends with probability 1. */
const endOf = ({ properties }: ReturnType<typeof explore>) =>
  propertyNamed(properties, ends.name).verdict;
/** In contention a always draws the short wait, and the other node the long one. */
const unequal = (protocol: Protocol) =>
  withMachine(
    protocol,
    machine.provide({ guards: { isShort: ({ context }) => context.self === 'a' } }),
  );

describe.each(ranges)('firewire in exact time, with delays from %i to %i ms', (least, most) => {
  const differences = Array.from({ length: 2 * most + 2 }, (_, index) => index + 1);
  const withTime = exactly([least, most]);

  proof(
    'ends by the first different draws if and only if the waits differ by more than two delays',
    () => {
      const second = atMost(3, { per: 'elect', of: ['be-my-parent'] });
      for (const difference of differences) {
        const { complete, properties } = explore(unequal(waits(difference)), chain(2), {
          ...withTime,
          initiators: ['a'],
          properties: [...decision, second],
        });
        expect(complete).toBe(true);
        const verdict = difference > 2 * most ? 'holds' : 'violated';
        for (const name of [second.name, 'every live node knows the one leader'])
          expect(`${difference} ${propertyNamed(properties, name).verdict}`).toBe(
            `${difference} ${verdict}`,
          );
      }
    },
  );

  proof(
    'ends with probability 1 if and only if the waits differ by more than the delays do',
    () => {
      for (const difference of differences)
        expect([
          difference,
          endOf(explore(waits(difference), chain(2), { ...withTime, properties: [ends] })),
        ]).toEqual([difference, difference > most - least ? 'holds' : 'violated']);
    },
  );
});

it('ends with probability 1 in any order of steps on a chain of three', () => {
  const explored = explore(waits(3), chain(3), { ...exactly([0, 1]), properties: [ends] });
  expect([explored.states, endOf(explored)]).toEqual([3612, 'holds']);
});
