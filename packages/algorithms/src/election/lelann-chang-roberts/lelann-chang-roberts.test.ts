import { readFileSync } from 'node:fs';
import { expected, explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { atMost, type LocalState, type Protocol, send } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { ring, type Topology } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { proof, quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { falling, rings, rising } from '../../checks/networks.js';
import {
  costOf,
  expectBounds,
  extremesOf,
  type Fraction,
  harmonic,
  over,
  sum,
  text,
  whole,
} from '../../contract/cost.contract.js';
import {
  mutantOf,
  takeAll,
  withHastyLeader,
  withMachine,
  withState,
} from '../../contract/machines.contract.js';
import { anyInitiators, shuffledRing } from '../../contract/networks.contract.js';
import { conditionsFor } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
} from '../../mutual-exclusion/outcome.contract.js';
import { electionContract } from '../election.contract.js';
import { type Event, machine } from './lelann-chang-roberts.js';
import { lelannChangRoberts } from './protocol.js';

const mutant = mutantOf(lelannChangRoberts);

electionContract({
  protocol: lelannChangRoberts,
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
    ['rings of 2, any set of initiators', anyInitiators(rings(2)), {}, 35],
    ['rings of 3 in any order, any set of initiators', anyInitiators(rings(3)), {}, 518],
    ['rings of 4 in any order, any set of initiators', anyInitiators(rings(4)), {}, 11_136],
    ['rings of 5 in any order, any node may start', rings(5), {}, 87_738],
  ],
  costs: [ring(2), ring(3), ring(16), shuffledRing(16, 1), shuffledRing(33, 2)],
  winner: ({ nodes }) => [...nodes].sort().at(-1) ?? '',
  mutants: {
    'smaller candidates are not extinguished': mutant(
      'ring:a,b, 3 steps: the leader has the largest id',
      machine.provide({
        guards: { larger: ({ context, event }) => 'id' in event && event.id !== context.self },
      }),
    ),
  },
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');

/** The violated properties, and the lengths of their traces. */
const violations = (protocol: Protocol, topology: Topology) =>
  explore(protocol, topology).properties.flatMap(({ name, verdict, trace }) =>
    verdict === 'violated' ? [`${name}: ${trace?.lines.length}`] : [],
  );

describe('lelann-chang-roberts rules', () => {
  const asleep: LocalState = start(machine, 'm', { self: 'm', next: 'n' }).state;
  const after = (...events: Event[]) => takeAll(machine, 'm', asleep, events);
  const election = (id: string): Event => ({ type: 'election', id, from: 'l' });
  const elected = (id: string): Event => ({ type: 'elected', id, from: 'l' });

  it('[LCR1] an initiator becomes active and sends its id', () => {
    const { state, effects } = after({ type: 'elect' });
    expect(state.value).toBe('active');
    expect(effects).toEqual([send('n', { type: 'election', id: 'm' })]);
  });

  it('[LCR2] a node passes on a larger id and is no candidate any longer', () => {
    for (const before of [[], [{ type: 'elect' }]] as const) {
      const { state, effects } = after(...before, election('z'));
      expect(state.value).toEqual({ passive: 'relaying' });
      expect(effects).toEqual([send('n', { type: 'election', id: 'z' })]);
    }
  });

  it('[LCR3] a smaller id wakes a sleeping node, which sends its own id', () => {
    const { state, effects } = after(election('a'));
    expect(state.value).toBe('active');
    expect(effects).toEqual([send('n', { type: 'election', id: 'm' })]);
  });

  it('[LCR4] an active node, a relay, the leader and a follower stop a smaller id', () => {
    for (const before of [
      [{ type: 'elect' }],
      [election('z')],
      [{ type: 'elect' }, election('m')],
      [elected('z')],
    ] as const)
      expect(after(...before, election('a')).effects).toEqual([]);
  });

  it('[LCR5] a node whose own id returns is the leader and announces it', () => {
    const { state, effects } = after({ type: 'elect' }, election('m'));
    expect(state.value).toEqual({ leader: 'announcing' });
    expect(state.context.leader).toBe('m');
    expect(effects).toEqual([send('n', { type: 'elected', id: 'm' })]);
  });

  it('[LCR6] a node that receives elected notes the leader and passes the message on', () => {
    const { state, effects } = after(elected('z'));
    expect(state.value).toBe('follower');
    expect(state.context.leader).toBe('z');
    expect(effects).toEqual([send('n', { type: 'elected', id: 'z' })]);
  });

  it('[LCR7] the leader whose announcement returns has terminated', () => {
    expect(after({ type: 'elect' }, election('m'), elected('m')).state.value).toEqual({
      leader: 'known',
    });
  });

  it('[LCR7] without it, the leader terminates while others do not know the leader', () => {
    const hasty = withHastyLeader(machine);
    expect(violations(withMachine(lelannChangRoberts, hasty), ring(2))).toEqual([
      'a node has terminated while another one does not know the leader: 3',
    ]);
  });

  it('[LCR4] a relay that takes part again on a smaller id can receive elected as a candidate: the page shows the shortest run', () => {
    const again = withState(machine, ['passive', 'relaying'], {
      on: {
        elect: {},
        election: [
          { guard: 'larger', actions: 'forward' },
          { guard: 'smaller', target: '#active', actions: 'candidate' },
        ],
      },
    });
    const [topology] = rings(3);
    if (!topology) throw new Error('there are two');
    const { properties } = explore(withMachine(lelannChangRoberts, again), topology);
    const [wrong, ...others] = properties.filter(({ verdict }) => verdict === 'violated');
    expect(wrong?.trace?.header.get('fault')).toContain(
      "Node b in 'active' does not handle 'elected' (from a)",
    );
    expect(wrong?.trace?.lines).toHaveLength(7);
    expect(page).toContain(linesText(wrong?.trace?.lines ?? []));
    expect(others).toEqual([]);
  });

  proof(
    '[LCR4] a relay that passes on smaller ids costs messages, and the same node wins in every interleaving',
    () => {
      const wasteful = withState(machine, ['passive', 'relaying'], {
        on: { elect: {}, election: { actions: 'forward' } },
      });
      for (const topology of [...rings(2), ...rings(3), ...rings(4)])
        expect(
          violations(withMachine(lelannChangRoberts, wasteful), topology).filter(
            (found) => !found.includes('smaller than itself'),
          ),
        ).toEqual([]);
      const conditions = { order: 'any', delay: { kind: 'uniform', least: 1, most: 40 } } as const;
      // A relay receives a smaller id only if a larger one has overtaken it.
      const cost = (protocol: Protocol) =>
        Array.from({ length: 50 }, (_, seed) => {
          const topology = shuffledRing(16, seed);
          return totalMessages(
            simulate({
              protocol,
              topology,
              workload: oneShot({ type: 'elect' }),
              conditions,
              seed,
            }),
          );
        }).reduce((sum, messages) => sum + messages, 0);
      // a run ends when a property is violated
      const unasked = { ...lelannChangRoberts, properties: [] };
      expect(cost(withMachine(unasked, wasteful))).toBeGreaterThan(cost(unasked));
    },
  );
});

describe('lelann-chang-roberts assumptions', () => {
  const oneLeader = 'at most one node is the leader';
  it('the page shows the shortest run with a lost message that leaves no leader', () => {
    const { traces } = outcomeOf(lelannChangRoberts, ring(2), { losses: 1 });
    expect(page).toContain(traces['every live node knows the one leader']);
  });

  it.each([
    ['a crash', { crashes: 1 }, 'every live node knows the one leader', 2],
    ['a duplicated message', { duplications: 1 }, everyMessageHandled, 5],
    ['a restart', { crashes: 1, restarts: 1 }, everyMessageHandled, 4],
  ])(
    '%s never makes two leaders on rings of 2 and 3, and has this shortest run',
    (_what, budget, violated, steps) => {
      for (const n of [2, 3])
        expect(
          outcomeOf(ignoringUnexpected(lelannChangRoberts), ring(n), budget).verdicts,
        ).toMatchObject({ [oneLeader]: 'holds' });
      expect(outcomeOf(lelannChangRoberts, ring(2), budget).verdicts).toMatchObject({
        [violated]: `violated in ${steps}`,
      });
    },
  );

  proof(
    'one lost message on rings of 4 never makes two leaders, and may leave none: every interleaving',
    () => {
      let states = 0;
      for (const topology of rings(4)) {
        const found = explore(lelannChangRoberts, topology, { losses: 1 });
        expect(found.complete).toBe(true);
        for (const { kind, name, verdict } of found.properties.slice(
          0,
          lelannChangRoberts.properties.length,
        ))
          expect(`${name}: ${verdict}`).toBe(
            `${name}: ${{ eventually: 'violated', sometimes: 'reached' }[kind as string] ?? 'holds'}`,
          );
        states += found.states;
      }
      expect(states).toBe(9_589);
    },
  );
});

describe('lelann-chang-roberts cost', () => {
  const run = (topology: ReturnType<typeof ring>) =>
    simulate({ protocol: lelannChangRoberts, topology, workload: oneShot({ type: 'elect' }) });

  proof(
    'is n(n+1)/2 + n if ids fall along the ring and 3n − 1 if they rise, for n = 2 … 64',
    () => {
      for (let n = 2; n <= 64; n++) {
        const names = ring(n).nodes;
        expect(run(ring([...names].reverse())).messages).toEqual({
          elected: n,
          election: (n * (n + 1)) / 2,
        });
        expect(run(ring(names)).messages).toEqual({ elected: n, election: 2 * n - 1 });
      }
    },
  );

  proof('is n·H_n + n on average: within 5 % over 400 random rings of 64', () => {
    const n = 64;
    const rings = 400;
    let total = 0;
    for (let seed = 1; seed <= rings; seed++) total += totalMessages(run(shuffledRing(n, seed)));
    const ratio = total / rings / (n * harmonic(n) + n);
    expect(ratio).toBeGreaterThan(0.95);
    expect(ratio).toBeLessThan(1.05);
  });

  proof(
    'reaches both of its bounds on all rings of 2 to 5 nodes, whoever starts: at least 2n',
    () => {
      for (const n of [2, 3, 4, 5]) {
        const totals = anyInitiators(rings(n)).flatMap(({ topology, budget }) =>
          conditionsFor(lelannChangRoberts).map((conditions) => {
            const workload = oneShot({ type: 'elect' }, { nodes: budget.initiators ?? [] });
            return totalMessages(
              simulate({ protocol: lelannChangRoberts, topology, workload, conditions }),
            );
          }),
        );
        const found = { least: Math.min(...totals), most: Math.max(...totals) };
        expect(found).toEqual(lelannChangRoberts.cost?.messages(n));
        expect(found.least).toBe(2 * n);
      }
    },
  );

  it.each(quickOf([2, 3, 4], (n) => n <= 3))(
    'an elect costs at most 3n − 1 messages on rings of %i: n − 1 wake the largest, n elect it and n announce it',
    (n) => {
      const atMosts = (less: number) => [
        atMost(3 * n - 1 - less, { per: 'elect' }),
        atMost(2 * n - 1 - less, { per: 'elect', of: ['election'] }),
        atMost(n - less, { per: 'elect', of: ['elected'] }),
      ];
      const literature = costOf(lelannChangRoberts, n);
      expect(literature?.most).toBe((n * (n + 1)) / 2 + n);
      const ofAll = literature && n > 2 ? [literature] : []; // with two nodes the bounds are the same
      for (const topology of [rising(n), falling(n)])
        expectBounds(lelannChangRoberts, topology, {}, [...atMosts(0), ...ofAll], atMosts(1));
    },
  );
});

// The mean of the literature, exactly: over all orders of the ids on the ring.

/** All nodes have started before the first message arrives. */
const together = withMachine(
  lelannChangRoberts,
  withState(withState(machine, [], { initial: 'active' }), ['active'], { entry: 'candidate' }),
);

/** n · (1 + 1/2 + … + 1/n) */
const literature = (size: number): Fraction =>
  sum(Array.from({ length: size }, (_, index) => over(whole(size), whole(index + 1))));

const cost = 'election';
const meanOf = (wholes: readonly number[]) =>
  text(over(sum(wholes.map(whole)), whole(wholes.length)));

describe('lelann-chang-roberts: the messages that decide, over all orders of ids', () => {
  it.each(
    quickOf(
      [
        [2, '3'],
        [3, '11/2'],
        [4, '25/3'],
        [5, '137/12'],
        [6, '147/10'],
      ],
      ([size]) => size <= 4,
    ),
  )('are n·H_n on average on rings of %i: %s', (size, mean) => {
    const costs = rings(size).map((topology) => {
      const options = { cost, commands: 0 };
      const fifo = expected(together, topology, { ...options, order: 'fifo' });
      const [least, greatest] = extremesOf(fifo.expectation);
      // in whatever order the nodes take their steps
      expect(least).toBe(greatest);
      return Number(least);
    });
    expect([meanOf(costs), text(literature(size))]).toEqual([mean, mean]);
    expect([Math.min(...costs), Math.max(...costs)]).toEqual([
      2 * size - 1,
      (size * (size + 1)) / 2,
    ]);
  });

  it('are fewer where messages overtake each other: a relay stops smaller ids', () => {
    const falling = expected(together, ring(['a', 'c', 'b']), { cost, commands: 0 });
    expect(extremesOf(falling.expectation)).toEqual(['5', '6']);
  });

  it.each(
    quickOf(
      [
        [3, '11/2'],
        [4, '25/3'],
      ],
      ([size]) => size <= 3,
    ),
  )('are at most that on rings of %i where a scheduler decides who starts when', (size, mean) => {
    const costs = rings(size).map((topology) =>
      extremesOf(expected(lelannChangRoberts, topology, { cost }).expectation).map(Number),
    );
    expect(meanOf(costs.map(([, greatest = 0]) => greatest))).toBe(mean);
    // one node starts, the one with the largest id
    expect(costs.map(([least]) => least)).toEqual(costs.map(() => size));
  });
});
