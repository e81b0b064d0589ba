/** The option `servers`: the first nodes vote, and serve clients that are no voters. */
import { walk } from '@conclave/core/exploration';

import type { Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { everyInterleavingOfVariant, type Mutant } from '../../../contract/explored.contract.js';
import { withMachine } from '../../../contract/mutant.js';
import { conditionsFor, seedsTo, sweep } from '../../../contract/sweep.js';

import { leasedMajority } from './protocol.js';
import { clientMachine, servingMachine } from './serving.js';

const serving = (servers: number) => leasedMajority({ lease: 5_000, renewal: 2_000, servers });
const [one, two, three] = [serving(1), serving(2), serving(3)];
/** Messages of exactly one second, and stays of at most one. */
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;
/** Messages and stays that take no time. */
const points = { kind: 'exact', delay: [0, 0], stays: { critical: [0, 0] } } as const;
const client = { crashes: 1, mayCrash: ['client'] } as const;
const voter = { crashes: 1, restarts: 1, mayCrash: ['voter'] } as const;

const withVoter = (of: Protocol, changes: Partial<Protocol['roles'][string]>): Protocol => {
  const role = of.roles.voter;
  if (!role) throw new Error(`${of.name} has no role 'voter'`);
  return { ...of, roles: { ...of.roles, voter: { ...role, ...changes } } };
};
const storing = (...stable: readonly string[]) => withVoter(one, { stable });
const mutants: Readonly<Record<string, Mutant>> = {
  'a client enters with less than a majority': {
    protocol: withMachine(
      one,
      clientMachine.provide({ guards: { isProved: () => true } }),
      'client',
    ),
    refuted: '?',
  },
  'a voter gives the vote of one client to the next': {
    protocol: withMachine(
      one,
      servingMachine.provide({ guards: { replacesTheVote: () => true } }),
      'voter',
    ),
    refuted: '?',
  },
  'a refused client keeps its ballot': {
    protocol: withMachine(
      one,
      clientMachine.provide({ actions: { takeBallot: assign({}) } }),
      'client',
    ),
    refuted: '?',
  },
  'a voter may vote for no ballot': {
    protocol: withVoter(one, {
      input: (self, { nodes }) => ({
        ...Object(one.roles.voter?.input(self, complete(nodes))),
        floor: 0,
      }),
    }),
    refuted: '?',
  },
  'a voter forgets which client has its vote': {
    protocol: storing('ballot', 'floor', 'vote', 'ahead'),
    refuted: '?',
  },
  'a voter forgets its tickets': {
    protocol: storing('ballot', 'floor', 'vote', 'client'),
    refuted: '?',
  },
};

describe('leased-majority with one server', () => {
  everyInterleavingOfVariant(
    one,
    [
      ['a client enters', complete(2), { initiators: ['b'], time: points }, 0],
      ['two clients enter', complete(3), { initiators: ['b', 'c'], time: points }, 250],
      [
        'two clients enter twice',
        complete(3),
        { initiators: ['b', 'c'], commands: 2, time: points },
        52_342,
      ],
      [
        'two clients enter, a loss and a copy',
        complete(3),
        { initiators: ['b', 'c'], losses: 1, duplications: 1, time: points },
        41_546,
      ],
      [
        'two clients enter, one crashes, messages of 1 s',
        complete(3),
        { initiators: ['b', 'c'], ...client, time },
        183_073,
      ],
      [
        'a client enters, the server crashes and restarts, messages of 1 s',
        complete(2),
        { initiators: ['b'], ...voter, time },
        0,
      ],
    ],
    mutants,
  );
});

describe('leased-majority with two servers', () => {
  everyInterleavingOfVariant(
    two,
    [
      ['two clients enter', complete(4), { initiators: ['c', 'd'], time: points }, 87_026],
      [
        'two clients enter, one crashes',
        complete(4),
        { initiators: ['c', 'd'], ...client, time: points },
        372_322,
      ],
      ['a server and a client enter', complete(3), { initiators: ['a', 'c'], time: points }, 0],
    ],
    {},
  );
});

describe('leased-majority with three servers', () => {
  everyInterleavingOfVariant(
    three,
    [
      ['a client enters', complete(4), { initiators: ['d'], time: points }, 130],
      [
        'a client enters, any server crashes and restarts, messages of 1 s',
        complete(4),
        { initiators: ['d'], ...voter, time },
        42_491,
      ],
    ],
    {},
  );

  it('two clients, of which one crashes, and a server that restarts, in walks', () => {
    proof();
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
      topologies: [4, 5, 8].map((n) => complete(n)),
      workload: () =>
        closedLoop({
          entries: 3,
          think: { kind: 'exponential', mean: 5_000 },
          hold: { kind: 'uniform', least: 0, most: 500 },
        }),
      seeds: seedsTo(1),
    });
    expect(failure).toBeUndefined();
    expect(runs).toBe(3 * conditionsFor(three).length);
  });

  it('costs a client nine messages and one round trip; the first time two messages and a round trip more', () => {
    const { exclusion, ...result } = simulate({
      protocol: three,
      topology: complete(4),
      workload: closedLoop({ entries: 3, nodes: ['d'], think: { kind: 'fixed', ms: 100 } }),
      conditions: { order: 'any', delay: { kind: 'fixed', ms: 5 } },
    });
    expect(totalMessages({ exclusion, ...result })).toBe(3 * 9 + 2);
    expect(exclusion.entries.map(({ requestedAt, enteredAt }) => enteredAt - requestedAt)).toEqual([
      20, 10, 10,
    ]);
  });

  it('lets nobody starve whose ballot is larger than the reserve of another', () => {
    const { exclusion } = simulate({
      protocol: three,
      topology: complete(6),
      workload: closedLoop({ entries: 20, nodes: ['d', 'e', 'f'] }),
      conditions: { order: 'any', delay: { kind: 'fixed', ms: 5 } },
    });
    const waits = exclusion.entries.map(({ requestedAt, enteredAt }) => enteredAt - requestedAt);
    expect(waits).toHaveLength(60);
    expect(Math.max(...waits)).toBeLessThanOrEqual(0);
  });
});
