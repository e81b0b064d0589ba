/** The option `servers`: the first nodes vote, and serve clients that are no voters. */
import { explore, walk } from '@conclave/check';
import { fire, start, step } from '@conclave/core/internal';
import { type LocalState, type Protocol, send } from '@conclave/core/protocol';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { everyInterleavingOfVariant, type Mutant } from '../../../contract/explored.contract.js';
import { conditionsFor, seedsTo, sweep } from '../../../contract/sweep.contract.js';
import { machine } from './leased-majority.js';
import type { Event } from './node.js';
import { leasedMajority } from './protocol.js';
import { clientOf, servingOf } from './serving.js';

const servingMachine = servingOf(machine);
const clientMachine = clientOf(machine);

const serving = (servers: number) => leasedMajority({ lease: 5_000, renewal: 2_000, servers });
const [one, two, three] = [serving(1), serving(2), serving(3)];
/** Messages of exactly one second, and stays of at most one. */
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;
/** Messages and stays that take no time. */
const points = { kind: 'exact', delay: [0, 0], stays: { critical: [0, 0] } } as const;
const client = { crashes: 1, mayCrash: ['client'] } as const;
const voter = { crashes: 1, restarts: 1, mayCrash: ['voter'] } as const;

function withFloor(of: Protocol, floor: number): Protocol {
  const { voter } = of.roles;
  if (!voter) throw new Error(`${of.name} has no role 'voter'`);
  const input: typeof voter.input = (...given) => ({ ...Object(voter.input(...given)), floor });
  return { ...of, roles: { ...of.roles, voter: { ...voter, input } } };
}

const mutants: Readonly<Record<string, Mutant>> = {
  'a voter may vote for no ballot': {
    protocol: withFloor(one, 0),
    refuted: 'complete:2, 2 steps: a voter votes for the ballot that a client tries, or refuses it',
  },
};

describe('leased-majority with one server', () => {
  everyInterleavingOfVariant(
    one,
    [
      [complete(2), { initiators: ['b'], time: points }, 8],
      [complete(3), { initiators: ['b', 'c'], time: points }, 250],
      [complete(3), { initiators: ['b', 'c'], commands: 2, time: points }, 52_342],
      [complete(3), { initiators: ['b', 'c'], losses: 1, duplications: 1, time: points }, 41_546],
      [complete(3), { initiators: ['b', 'c'], ...client, time }, 183_073],
    ],
    mutants,
  );
});

describe('leased-majority with two servers', () => {
  everyInterleavingOfVariant(two, [
    [complete(4), { initiators: ['c', 'd'], time: points }, 87_026],
    [complete(4), { initiators: ['c', 'd'], ...client, time: points }, 372_322],
    [complete(3), { initiators: ['a', 'c'], time: points }, 1_760],
  ]);
});

describe('leased-majority with three servers', () => {
  everyInterleavingOfVariant(three, [
    [complete(4), { initiators: ['d'], time: points }, 130],
    [complete(4), { initiators: ['d'], ...voter, time }, 42_491],
  ]);

  proof(
    'its properties hold for two clients that enter, each at any time, over channels in order: 5,459,626 states',
    () => {
      const {
        complete: isComplete,
        properties,
        states,
      } = explore(three, complete(5), {
        ...{ initiators: ['d', 'e'], order: 'fifo', time: points },
      });
      expect([isComplete, states]).toEqual([true, 5_459_626]);
      expect(properties.filter(({ verdict }) => !/holds|reached/.test(verdict))).toEqual([]);
    },
  );

  proof('two clients, of which one crashes, lost messages and copies, in walks', () => {
    const found = walk(three, complete(5), {
      seed: 1,
      walks: 20,
      steps: 150,
      initiators: ['d', 'e'],
      commands: 3,
      ...client,
      losses: 2,
      duplications: 1,
    });
    expect(found.properties.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
  });

  it('is safe and live in seeded runs with clients that come late, and handles every message', () => {
    const { runs, failure } = sweep({
      protocol: three,
      topologies: [4, 6].map((n) => complete(n)),
      workload: () =>
        closedLoop({
          entries: 3,
          think: { kind: 'exponential', mean: 5_000 },
          hold: { kind: 'uniform', least: 0, most: 500 },
        }),
      seeds: seedsTo(1),
    });
    expect(failure).toBeUndefined();
    expect(runs).toBe(2 * conditionsFor(three).length);
  });

  it('costs a client nine messages and one round trip; the first time two messages and a round trip more', () => {
    const result = simulate({
      protocol: three,
      topology: complete(4),
      workload: closedLoop({ entries: 3, nodes: ['d'], think: { kind: 'fixed', ms: 100 } }),
      conditions: { order: 'any', delay: { kind: 'fixed', ms: 5 } },
    });
    const { entries } = result.exclusion;
    expect(totalMessages(result)).toBe(3 * 9 + 2);
    expect(entries.map(({ requestedAt, enteredAt }) => enteredAt - requestedAt)).toEqual([
      20, 10, 10,
    ]);
  });

  it('serves clients in turn: none waits for much longer than the others need together', () => {
    const ten = 'defghijklm'.split('');
    const { exclusion } = simulate({
      protocol: three,
      topology: complete(13),
      workload: closedLoop({ entries: 5, nodes: ten, hold: { kind: 'fixed', ms: 20 } }),
      conditions: { order: 'any', delay: { kind: 'uniform', least: 0, most: 40 } },
    });
    const waits = exclusion.entries.map(({ requestedAt, enteredAt }) => enteredAt - requestedAt);
    expect(waits).toHaveLength(50);
    expect(Math.max(...waits)).toBeLessThan(10 * (20 + 3 * 40));
  });
});

describe('leased-majority rules of servers and clients', () => {
  const given = { nodes: ['a', 'b', 'c'], lease: 5, validity: 4, renewal: 1 };
  const fresh = { ...given, ballot: 0, floor: 1, vote: 0, client: '', ahead: 0 };
  const after = (machine: AnyStateMachine, input: object, ...events: readonly Event[]) => {
    let taken = start(machine, 'b', { self: 'b', ...input });
    for (const event of events) taken = step(machine, 'b', taken.state, event);
    return taken;
  };
  const voter = (more: object, ...events: readonly Event[]) =>
    after(servingMachine, { ...fresh, ...more }, ...events);
  const asks = (from: string): Event => ({ type: 'try', from, ballot: 0, round: 1, floor: 0 });
  const tries = (from: string, ballot: number): Event => ({ ...tryOf(ballot), from });
  const tryOf = (ballot: number) => ({ type: 'try' as const, ballot, round: 1, floor: 0 });
  const request = (from: string, ballot: number): Event => ({
    ...{ type: 'request', from, ballot, round: 1, floor: 0 },
  });
  const sends = ({ effects }: ReturnType<typeof step>) =>
    effects.filter((effect) => effect.type === 'send');
  const refused = (ballot: number, floor: number, ticket: number) =>
    ({ type: 'refused', ballot, floor, ticket }) as const;

  it('[LQ18] a voter gives each ticket once, of its own class, and larger than what it has seen', () => {
    expect(sends(voter({}, asks('x')))).toEqual([send('x', refused(0, 1, 4))]);
    expect(sends(voter({}, asks('x'), asks('y')))).toEqual([send('y', refused(0, 1, 10))]);
    expect(sends(voter({}, request('a', 30), asks('x')))).toEqual([send('x', refused(0, 1, 34))]);
  });

  it('[LQ18] after a restart its tickets are larger than all that it has given', () => {
    const { ahead } = Object(voter({}, asks('x')).state.context);
    expect(ahead).toBe(1_004);
    expect(sends(voter({ ahead }, asks('x')))).toEqual([send('x', refused(0, 1, 1_006))]);
  });

  it('[LQ13] a voter that restarts knows which client has its vote', () => {
    const restarted = { vote: 4, client: 'x', ahead: 1_004 };
    const released: Event = { type: 'released', from: 'x', ballot: 4, floor: 5 };
    expect(voter(restarted, released).state.context).toMatchObject({
      vote: 0,
      client: '',
      floor: 5,
    });
    expect(voter(restarted, { ...released, from: 'y' }).state.context).toMatchObject({ vote: 4 });
  });

  it('[LQ19] a client without a ticket asks one voter after the other, and tries one from its last entry at all', () => {
    const acquire: Event = { type: 'acquire' };
    const first = after(
      clientMachine,
      { ...given, self: 'x', ballot: 0, floor: 0, vote: 0 },
      acquire,
    );
    expect(sends(first)).toEqual([send('b', tryOf(0))]);
    const renewal = first.state.timers.find(({ id }) => id.includes('renewal'));
    expect(sends(fire(clientMachine, 'b', first.state, renewal?.id ?? ''))).toEqual([
      send('c', { ...tryOf(0), round: 2 }),
    ]);
    const events: readonly Event[] = [
      { ...refused(0, 1, 4), from: 'a' },
      ...['a', 'b'].map((from) => ({
        type: 'vote' as const,
        from,
        ballot: 4,
        round: 1,
        ticket: 9,
      })),
      { type: 'release' },
      acquire,
    ];
    const again = events.reduce(
      (taken, event) => step(clientMachine, 'b', taken.state, event),
      first,
    );
    expect(sends(again)).toEqual(['a', 'b', 'c'].map((to) => send(to, { ...tryOf(9), floor: 5 })));
  });

  it('[LQ20] a free voter votes for a try; a bound one refuses it, and queues nothing', () => {
    expect(sends(voter({}, tries('x', 4)))).toEqual([
      send('x', { type: 'vote', ballot: 4, round: 1, ticket: 10 }),
    ]);
    const busy = voter({}, request('x', 4), tries('y', 9));
    expect(sends(busy)).toEqual([send('y', refused(9, 1, 16))]);
    expect(busy.state.context).toMatchObject({ vote: 4, client: 'x', queue: [] });
  });

  it('[LQ21] a client takes a ticket once: a copy of a refusal is ignored', () => {
    const acquire: Event = { type: 'acquire' };
    const told: Event = { ...refused(0, 1, 4), from: 'a' };
    const asked = after(
      clientMachine,
      { ...given, self: 'x', ballot: 0, floor: 0, vote: 0 },
      acquire,
    );
    expect(sends(asked)).toEqual([send('b', tryOf(0))]);
    const one = step(clientMachine, 'x', asked.state, told);
    expect(sends(one)).toMatchObject(['a', 'b', 'c'].map((to) => ({ to })));
    expect(sends(step(clientMachine, 'x', one.state, { ...told, ...refused(4, 1, 4) }))).toEqual(
      [],
    );
  });

  it('[LQ22] a voter forgets the request of a client that is silent for two leases', () => {
    const sweep = (state: LocalState) => {
      const timer = state.timers.find(({ id }) => id.includes('sweep'));
      if (!timer) throw new Error('no sweep runs');
      return fire(servingMachine, 'b', state, timer.id).state;
    };
    const { state } = voter({}, request('x', 4), request('y', 9));
    expect(state.context).toMatchObject({ queue: [{ ballot: 9, from: 'y' }] });
    const once = sweep(state);
    expect(once.context).toMatchObject({ queue: [{ ballot: 9, from: 'y', silent: true }] });
    const repeated = step(servingMachine, 'b', once, request('y', 9)).state;
    expect(sweep(repeated).context).toMatchObject({ queue: [{ ballot: 9, from: 'y' }] });
    expect(sweep(once)).toMatchObject({ context: { queue: [] }, value: { sweep: 'off' } });
  });
});
