import { star } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../../checks/checks.js';
import { leaseInOneRow } from './protocol.js';

/** Messages of exactly one second. */
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;
/** Messages that take no time: fewer worlds where several clients request. */
const instant = { ...time, delay: [0, 0], stays: { critical: [0, 0] } } as const;
/** The holder may outstay its lease. */
const long = { ...instant, stays: { critical: [0, 10_000] } } as const;
/** Answers that come too late to be measured, again and again. */
const slow = { ...time, delay: [1_000, 5_000] } as const;

/** Losses end leases, a crash leaves the row behind, and copies come late. */
const systems = () => [
  { topology: star(2), budget: { commands: 2, losses: 1, time } },
  { topology: star(2), budget: { losses: 2, duplications: 1, time: long } },
  { topology: star(2), budget: { commands: 2, duplications: 1, time: long } },
  {
    topology: star(2),
    budget: {
      ...{ commands: 2, crashes: 1, restarts: 1 },
      ...{ mayCrash: ['client'], time: instant },
    },
  },
  { topology: star(3), budget: { time } },
  { topology: star(3), budget: { crashes: 1, mayCrash: ['client'], time: instant } },
  { topology: star(3), budget: { losses: 1, time: instant } },
];

const walks = () => [
  { topology: star(2), budget: { commands: 2, time: slow }, walks: 200, steps: 60 },
  { topology: star(3), budget: { losses: 3, duplications: 1, time: slow }, walks: 200, steps: 100 },
  { topology: star(3), budget: { losses: 4, time: long }, walks: 400, steps: 100 },
];

export const mutants: Mutants = {
  'lease=8000 renewal=2000': { instead: true, systems, walks },
  'clock=true': { systems, walks, parts: ['client', 'even', 'odd'] },
  // the store's clock ends the lease of a client that goes on
  'lease=5000 renewal=2000 clock=true': {
    systems: () => [{ topology: star(2), budget: { losses: 2, time: long } }],
    parts: ['client', 'free', 'held'],
  },
  // the row without it has the other states
  'cancel=true': { systems, walks, parts: ['client.held', 'even', 'odd', 'free', 'held'] },
};

export const verified: Verified = () =>
  systemsOf('A21 Lease in one row', [
    run(
      '2 clients',
      'an entry each, one crashes, messages of 1 s',
      leaseInOneRow({ lease: 5_000, renewal: 2_000 }),
      star(3),
      { crashes: 1, mayCrash: ['client'], time },
    ),
  ]);
