import { explore } from '@conclave/core/exploration';
import { atMost, costOf, type LocalState, send, start, step } from '@conclave/core/protocol';
import { closedLoop, poisson, simulate, totalMessages } from '@conclave/core/simulation';
import { ring, shuffledRing } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { describe, expect, it } from 'vitest';
import { enqueueActions } from 'xstate';
import { failing } from '../../../contract/failing.js';
import { withMachine } from '../../../contract/mutant.js';
import { withoutSteps } from '../../../contract/without-steps.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { countedTokenContract } from '../building-blocks/counted-token.contract.js';
import { tokenRing } from './protocol.js';
import { type Event, type Message, machine } from './token-ring.js';

const plain = tokenRing();
const mutant = (refuted: string, changed: typeof machine) => ({ protocol: withMachine(withoutSteps(plain), changed), refuted });
/** The token is passed on only when `passes` says so of the event. */
const passingOn = (passes: (event: Event) => boolean) =>
  machine.provide({
    actions: {
      passToken: enqueueActions(({ context, event, enqueue }) => {
        if (passes(event)) enqueue.emit(send(context.next, { type: 'token', entries: context.entries }));
      }),
    },
  });
const systems = (budget: object) => [
  { topology: ring(2), budget: { ...budget, commands: 2 } },
  { topology: ring(3), budget: { ...budget, commands: 2 } },
  { topology: ring(4), budget: { ...budget, commands: 2 } },
  { topology: ring(['c', 'a', 'd', 'b']), budget: { ...budget, commands: 1 } },
];

mutualExclusionContract({
  protocol: plain,
  topologies: [ring(2), ring(3), ring(4), shuffledRing(6, 1)],
  small: [
    { topology: ring(2), budget: { commands: 2 } },
    { topology: ring(3), budget: { commands: 1, initiators: ['a', 'c'] } },
  ],
  explored: [
    { what: 'rings of 2 to 4', systems: systems({}), states: 4_527 },
    { what: 'rings of 2 to 4, nothing overtakes', systems: systems({ order: 'fifo' }), states: 4_527 },
    { what: '6 nodes, 2 entries each', systems: [{ topology: ring(6), budget: { commands: 2 } }], states: 131_250 },
    {
      what: 'the token anywhere at first',
      systems: ['a', 'b', 'c', 'd'].map((holder) => ({
        topology: ring([holder, ...['a', 'b', 'c', 'd'].filter((id) => id !== holder)]),
        budget: {},
      })),
      states: 4 * 432,
    },
  ],
  covered: [
    {
      topology: ring(3),
      budget: { commands: 2 },
      states: 525,
      transitions: 1_095,
      depth: 20,
      // There is one token, and nobody is `starting` once it is on its way.
      undelivered: ['starting: token', 'held: token'],
    },
  ],
  costs: [2, 3, 5, 9].map((n) => ring(n)),
  mutants: {
    'a node that does not want the token drops it': mutant(
      'ring:2, 2 steps: there is exactly one token, in a node or on its way',
      passingOn(({ type }) => type !== 'token'),
    ),
    'whoever leaves keeps the token': mutant(
      'ring:2, 4 steps: there is exactly one token, in a node or on its way',
      passingOn(({ type }) => type !== 'release'),
    ),
    'every node puts a token on the ring': mutant(
      'ring:2, 2 steps: there is exactly one token, in a node or on its way',
      machine.provide({ guards: { isFirst: () => true } }),
    ),
    'nobody puts a token on the ring': mutant(
      'ring:2, 0 steps: there is exactly one token, in a node or on its way',
      machine.provide({ guards: { isFirst: () => false } }),
    ),
    'whoever passes the token on keeps a copy': mutant(
      'ring:2, 4 steps: there is exactly one token, in a node or on its way',
      machine.provide({
        actions: {
          passToken: enqueueActions(({ context, event, enqueue }) => {
            const token = send<Message>(context.next, { type: 'token', entries: context.entries });
            enqueue.emit(token);
            if (event.type === 'release') enqueue.emit(token);
          }),
        },
      }),
    ),
  },
});

describe('token-ring rules', () => {
  const first = (first: boolean) => start(machine, 'm', { next: 'n', first });
  const after = (state: LocalState, ...events: Event[]) =>
    events.reduce((taken, event) => step(machine, 'm', taken.state, event), { state, effects: [] } as ReturnType<typeof step>);
  const token: Event = { type: 'token', entries: 4, from: 'l' };
  const passed = (entries: number) => [send('n', { type: 'token', entries })];
  const idle = first(false).state;

  it('[T1] one node puts the token on the ring as it starts, the others do not', () => {
    expect(first(true)).toMatchObject({ state: { value: 'released' }, effects: passed(0) });
    expect(first(false)).toMatchObject({ state: { value: 'released' }, effects: [] });
  });

  it('[T2] whoever does not want to enter passes the token on at once', () => {
    expect(after(idle, token)).toMatchObject({ state: { value: 'released', context: { entries: 0 } }, effects: passed(4) });
  });

  it('[T3] a wish is told to nobody; with the token whoever wants to enter does, and counts the entry', () => {
    const wanted = after(idle, { type: 'acquire' });
    expect(wanted).toMatchObject({ state: { value: 'wanted' }, effects: [] });
    expect(after(wanted.state, token)).toMatchObject({ state: { value: 'held', context: { entries: 5 } }, effects: [] });
  });

  it('[T4] whoever leaves passes the token on, and must wait for its next round', () => {
    const left = after(idle, { type: 'acquire' }, token, { type: 'release' });
    expect(left).toMatchObject({ state: { value: 'released', context: { entries: 0 } }, effects: passed(5) });
    expect(after(left.state, { type: 'acquire' }).state.value).toBe('wanted');
  });

  it('holder: another node puts the token on the ring', () => {
    const found = explore(tokenRing({ holder: 'c' }), ring(4));
    expect(found.states).toBe(432);
    expect(failing(found)).toEqual([]);
    expect(() => explore(tokenRing({ holder: 'z' }), ring(4))).toThrow(/there is no node 'z' to hold the token/);
  });
});

describe('token-ring liveness', () => {
  it('goes on for ever, and lets everybody in, whatever is fair: nothing else can happen without end while the token stands still', () => {
    for (const fairness of ['none', 'weak', 'strong'] as const) {
      const found = explore(plain, ring(3), { commands: 2, fairness });
      expect(failing(found)).toEqual([]);
    }
  });

  it('each of the others enters at most once while a node waits', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const { exclusion } = simulate({
        protocol: plain,
        topology: shuffledRing(7, seed),
        seed,
        workload: closedLoop({ entries: 10, think: { kind: 'exponential', mean: 10 } }),
        conditions: { order: 'any', delay: { kind: 'uniform', least: 0, most: 20 } },
      });
      expect(exclusion.entries).toHaveLength(70);
      for (const { node, requestedAt, enteredAt } of exclusion.entries) {
        const between = exclusion.entries
          .filter((other) => other.enteredAt > requestedAt && other.enteredAt < enteredAt)
          .map((other) => other.node);
        expect(between).not.toContain(node);
        expect(new Set(between).size).toBe(between.length);
      }
    }
  });
});

describe('token-ring assumptions', () => {
  const lines = (budget: object, place: number) => {
    const found = explore(withoutSteps(plain), ring(3), budget);
    const { verdict, trace } = found.properties[place] ?? {};
    expect([found.complete, verdict]).toEqual([true, 'violated']);
    expect(trace && replay(plain, ring(3), trace)).toEqual({ steps: trace?.lines.length });
    return linesText(trace?.lines ?? [])
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll(/ {2,}/g, '  ').trim());
  };
  const [exclusion, enters, tokens] = [0, 1, 3];

  it('a lost token is gone: from then on nobody enters', () => {
    expect(lines({ losses: 1 }, tokens)).toEqual(['a  start  released  ⇒ b: token(0)', 'b  drop token(0) from a']);
    expect(lines({ losses: 1 }, enters)).toEqual([
      'a  start  released  ⇒ b: token(0)',
      'a  acquire  released → wanted',
      'b  drop token(0) from a',
    ]);
    const found = explore(plain, ring(3), { losses: 1 });
    expect(found.states).toBe(135);
    expect(found.properties[exclusion]?.verdict).toBe('holds');
  });

  it('a doubled token lets in two', () => {
    expect(lines({ duplications: 1 }, exclusion)).toEqual([
      'a  start  released  ⇒ b: token(0)',
      'b  duplicate token(0) from a',
      'b  token(0) from a  released  ⇒ c: token(0)',
      'b  acquire  released → wanted',
      'b  token(0) from a  wanted → held',
      'c  acquire  released → wanted',
      'c  token(0) from b  wanted → held',
    ]);
  });

  it('no node may crash, not even one that wants nothing: the token does not get past it', () => {
    expect(lines({ crashes: 1 }, enters)).toEqual(['a  start  released  ⇒ b: token(0)', 'a  acquire  released → wanted', 'b  crash']);
    expect(explore(plain, ring(3), { crashes: 1 }).properties[exclusion]?.verdict).toBe('holds');
  });

  it('whoever put the token on the ring must not start again: it would put a second one there', () => {
    expect(lines({ crashes: 1, restarts: 1 }, tokens)).toEqual([
      'a  start  released  ⇒ b: token(0)',
      'a  crash',
      'a  restart  released  ⇒ b: token(0)',
    ]);
    expect(lines({ crashes: 1, restarts: 1 }, exclusion)).toHaveLength(8);
  });

  it('a reliable link cannot help: it would need a way back', () => {
    expect(() => simulate({ protocol: plain, topology: ring(5), reliable: true })).toThrow(
      /needs channels both ways, and a→b has none back/,
    );
  });
});

countedTokenContract(plain, { topology: ring(3), doubled: 7, restarted: 8 });

describe('token-ring cost', () => {
  it('is 1 message per entry under full load, for every n in 2 … 20, and the one that began', () => {
    for (let n = 2; n <= 20; n++) {
      const result = simulate({
        protocol: plain,
        topology: ring(n),
        workload: closedLoop({ entries: 10, think: { kind: 'fixed', ms: 0 } }),
      });
      expect(result.exclusion.entries).toHaveLength(10 * n);
      expect(totalMessages(result)).toBe(10 * n + 1);
    }
  });

  it('has no bound: while nobody is inside, the token takes a hop in each message delay, wanted or not', () => {
    const delay = 2;
    for (const mean of [100, 1_000, 10_000]) {
      const hold = { kind: 'fixed', ms: 5 } as const;
      const result = simulate({
        protocol: plain,
        topology: ring(5),
        conditions: { delay: { kind: 'fixed', ms: delay } },
        workload: poisson({ mean, entries: 20, hold }),
      });
      expect(result.exclusion.entries).toHaveLength(100);
      const hops = (result.virtualMs - 100 * hold.ms) / delay;
      expect(Math.abs(totalMessages(result) - hops)).toBeLessThanOrEqual(1);
      expect(totalMessages(result) / 100).toBeGreaterThan(mean / 10 / delay);
    }
    expect(costOf(plain, 5)).toBeUndefined();
    expect(explore(plain, ring(3), { properties: [atMost(1_000_000, { per: 'acquire' })] }).properties[0]?.verdict).toBe('violated');
  });
});
