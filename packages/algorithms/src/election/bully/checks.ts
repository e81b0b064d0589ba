import { increases, type Protocol } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { bully } from './protocol.js';

/** Messages of exactly 100 ms: fewer states. */
const fixed = { kind: 'exact', delay: [100, 100], tick: 50 } as const;
const crash = { crashes: 1, restarts: 1 };
/** Messages that take longer than the protocol assumes: an answer comes after the time-out. */
const late = {
  budget: { ...crash, initiators: ['a'], time: { kind: 'exact', delay: [200, 200], tick: 50 } },
  violates: [
    'at most one node is the leader',
    'a live node larger than the leader holds an election',
  ],
} as const;

export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      { topology: complete(2), budget: {} },
      { topology: complete(2), budget: crash },
      { topology: complete(3), budget: {} },
      { topology: complete(3), budget: { ...crash, initiators: ['a'], time: fixed } },
      { topology: complete(3), budget: { crashes: 2, initiators: ['a'], time: fixed } },
      { topology: complete(3), ...late },
    ],
  },
  /** What a detector changes; the rest is mutated by default, and as C3. */
  'detector=true': {
    systems: () => [
      { topology: complete(2), budget: { time: fixed } },
      { topology: complete(2), budget: { time: fixed, crashes: 1 } },
      { topology: complete(2), budget: { ...crash, initiators: ['a'], time: fixed } },
    ],
    // Three nodes are too many with heartbeats.
    walks: () => [{ topology: complete(3), ...late, walks: 400, steps: 150 }],
    parts: [
      'detector',
      ...['starting', 'asleep', 'electing', 'rejoining', 'yielding', 'leader'].map(
        (state) => `election.${state}`,
      ),
    ],
  },
};

/** And what its terms promise where at most one node crashes. */
function growing(): Protocol {
  const protocol = bully();
  const growth = increases('each leader has a later term than every leader before it', (node) =>
    node.tags.has('leader') ? Number(node.context.term) : undefined,
  );
  return { ...protocol, properties: [...protocol.properties, growth] };
}

/** Messages of exactly 100 ms. */
const hundred = { kind: 'exact', delay: [100, 100] } as const;

export const verified: Verified = () =>
  systemsOf('B1 Bully', [
    run(
      '3 nodes',
      'any node may start, a crash and a restart, messages of 50 to 100 ms',
      growing(),
      complete(3),
      { crashes: 1, restarts: 1 },
    ),
    run(
      '3 nodes',
      'any node may start, two crashes and a restart, messages of 50 to 100 ms',
      bully(),
      complete(3),
      { crashes: 2, restarts: 1 },
    ),
    run(
      '4 nodes',
      'any node may start, a crash and a restart, messages of 100 ms',
      bully({ timeout: 300 }),
      complete(4),
      { crashes: 1, restarts: 1, time: hundred },
    ),
    run(
      '3 nodes',
      'with the detector, the smallest node may start, a crash and a restart, messages of 100 ms',
      bully({ timeout: 300, detector: true }),
      complete(3),
      { crashes: 1, restarts: 1, initiators: ['a'], time: hundred },
    ),
  ]);
