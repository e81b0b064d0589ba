import type { Budget } from '@conclave/check';
import { complete } from '@conclave/core/topology';
import { large, type Mutants, run, systemsOf, type Verified } from '../../../checks/checks.js';
import { leasedMajority } from './protocol.js';

/** Messages of exactly one second. */
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;
/** The holder may outstay its lease. */
const long = { ...time, stays: { critical: [0, 8_000] } } as const;
/** Messages that take no time: fewer worlds where both nodes request. */
const instant = { ...time, delay: [0, 0] } as const;
/** Stays take no time, either. */
const points = { ...instant, stays: { critical: [0, 0] } } as const;
/** The holder leaves in the moment in which the votes of its first request count no longer. */
const whole = { ...instant, stays: { critical: [4_000, 4_000] } } as const;
/** The same, or earlier. */
const upToValidity = { ...instant, stays: { critical: [0, 4_000] } } as const;
/** Long enough for a change. */
const slow = { ...time, delay: [500, 500], stays: { critical: [2_000, 2_000] } } as const;
const outstaying = { ...instant, stays: { critical: [0, 8_000] } } as const;

/** Three nodes contend, in few worlds. */
const fifo = { order: 'fifo', time: points } as const;
const acquire = [{ type: 'acquire' }];
const yielding = [...acquire, { type: 'yield' }];
const to = (...voters: readonly string[]) => [...acquire, { type: 'change', voters }];
const contending = {
  topology: complete(3),
  budget: { initiators: ['a', 'b'], inputs: acquire, ...fifo },
} as const;

const twice = { initiators: ['c'], commands: 2, inputs: acquire, ...fifo } as const;

type Systems = NonNullable<Mutants[string]['systems']>;

/**
 * Losses end leases, a restart binds a voter anew, and nodes that request inquire of each other,
 * refuse each other, and hear of it late.
 */
const systems = () => [
  { topology: complete(2), budget: { initiators: ['a'], losses: 3, time: long } },
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1, time } },
  { topology: complete(2), budget: { initiators: ['b'], losses: 1, duplications: 1, time: long } },
  { topology: complete(3), budget: { initiators: ['b'], crashes: 1, restarts: 1, time } },
  { topology: complete(2), budget: { losses: 1, time: instant } },
  { topology: complete(2), budget: { time } },
  contending,
];

/** The client and its two further timers; the other regions are as without. */
const keeping: Systems = () => [
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, time } },
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1, time } },
  { topology: complete(2), budget: { commands: 2, inputs: acquire, time: points } },
  { topology: complete(2), budget: { initiators: ['b'], losses: 1, duplications: 1, time: long } },
  { topology: complete(2), budget: { losses: 1, time: points } },
  { topology: complete(2), budget: { initiators: ['a'], losses: 2, time: points } },
  contending,
];

/** Another node waits when one leaves; in the last system, a lease ends as it leaves. */
const staying: Systems = () => [
  { topology: complete(2), budget: { initiators: ['a'], losses: 2, time: points } },
  { topology: complete(2), budget: { inputs: acquire, time: points } },
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, time } },
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1, time } },
  contending,
  { topology: complete(2), budget: { commands: 2, inputs: acquire, time: points } },
  { topology: complete(2), budget: { commands: 2, inputs: yielding, ...fifo } },
  { topology: complete(2), budget: { inputs: acquire, losses: 1, order: 'fifo', time: whole } },
];

/** With two servers: `c` is a client. */
const serving: Systems = () => [
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1, time } },
  { topology: complete(2), budget: { initiators: ['b'], losses: 1, duplications: 1, time: long } },
  { topology: complete(2), budget: { inputs: acquire, losses: 1, time: points } },
  { topology: complete(3), budget: { initiators: ['c'], losses: 1, time } },
  { topology: complete(3), budget: { ...twice, duplications: 1 } },
  { topology: complete(3), budget: { ...twice, losses: 1 } },
  { topology: complete(3), budget: { initiators: ['b', 'c'], inputs: acquire, time: points } },
];

const revoking: Systems = () => [
  { topology: complete(2), budget: { initiators: ['a'], time } },
  { topology: complete(2), budget: { initiators: ['a'], losses: 1, time: long } },
  contending,
];

/** Two nodes vote at first: what they do without a change, and then changes. */
const changing: Systems = () => [
  ...systems().flatMap(({ topology, budget }) =>
    topology.nodes.length === 2 ? [{ topology, budget: { ...budget, inputs: acquire } }] : [],
  ),
  { topology: complete(2), budget: { initiators: ['a'], time: slow } },
  { topology: complete(2), budget: { initiators: ['a'], losses: 2, time: upToValidity } },
  { topology: complete(3), budget: { initiators: ['c'], losses: 1, time: points } },
  ...['ab', 'bc', 'ac'].map((names) => ({
    topology: complete(3),
    budget: { initiators: [...names], inputs: to('b'), ...fifo },
  })),
];

const through = (budget: Budget, walks = 100) => ({
  topology: complete(3),
  budget: { ...budget, duplications: 1 },
  ...{ walks, steps: 120 },
});

export const mutants: Mutants = {
  'lease=5000 renewal=2000': {
    instead: true,
    systems,
  },
  'lease=5000 renewal=2000 keep=3000': {
    systems: keeping,
    parts: ['even', 'odd', 'voter'],
  },
  'lease=5000 renewal=2000 keep=3000 greedy=1': {
    systems: staying,
    // the row without it has these states
    parts: ['client.idle', 'client.waiting', 'even', 'odd', 'renewals', 'tenure', 'voter'],
  },
  'lease=5000 renewal=2000 servers=2': {
    systems: serving,
    walks: () => [
      through({ initiators: ['b', 'c'], losses: 2, duplications: 1, time: outstaying }, 200),
    ],
    // the row without it has the states of clients
    parts: ['client', 'even', 'odd'],
  },
  'lease=5000 renewal=2000 voters=a,b': {
    systems: changing,
    walks: () => [
      through({ losses: 1, time: upToValidity }),
      through({ losses: 2, time: outstaying, inputs: to('a', 'c') }),
    ],
    parts: ['even', 'odd'],
  },
  'lease=5000 renewal=2000 revoke=true': {
    systems: revoking,
    parts: ['even', 'odd'],
  },
  'lease=5000 renewal=2000 priority=true': {
    systems: () => [
      { topology: complete(2), budget: { initiators: ['a'], time } },
      { topology: complete(2), budget: { initiators: ['a'], losses: 1, time: long } },
      { topology: complete(2), budget: { time: instant } },
    ],
    parts: ['even', 'odd'],
  },
  // the row without it has the other states
  'cancel=true': {
    systems: () => [
      { topology: complete(2), budget: { initiators: ['b'], commands: 2, time } },
      { topology: complete(3), budget: { initiators: ['b'], losses: 1, time } },
      { topology: complete(2), budget: { time: instant } },
      contending,
    ],
    parts: ['client.idle', 'client.held', 'even', 'odd', 'voter'],
  },
};

/** The shortest: they have the fewest worlds. */
const times = { lease: 5_000, renewal: 2_000 } as const;

const three = (budget: Budget, what: string) =>
  run(
    '3 nodes',
    `two nodes an entry each, ${what}, messages of 1 s`,
    leasedMajority(times),
    complete(3),
    { initiators: ['a', 'b'], time, ...budget },
  );

export const verified: Verified = () =>
  systemsOf('A19 Leased votes of a majority', [
    three({ crashes: 1, restarts: 1 }, 'a crash and a restart'),
    three({ losses: 1 }, 'a loss'),
    large(
      run(
        '3 servers and 2 clients',
        'each client an entry at any time, one crashes, FIFO, no message takes time',
        leasedMajority({ ...times, servers: 3 }),
        complete(5),
        {
          ...{ initiators: ['d', 'e'], crashes: 1, mayCrash: ['client'] },
          ...{ order: 'fifo', time: points },
        },
      ),
    ),
  ]);
