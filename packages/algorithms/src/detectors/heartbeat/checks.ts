import { idleFor } from '@conclave/core/internal/simulation';
import type { NodeId } from '@conclave/core/protocol';
import { Simulation } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { strongAccuracy, suspectedBy } from '../failure-detection.js';
import { heartbeat } from './protocol.js';

// The price of a short time-out, measured in simulation where no bound of the delay holds.

const conditions = { order: 'any', delay: { kind: 'exponential', mean: 20 }, loss: 0.01 } as const;
const timeouts = [110, 120, 140, 160, 180, 200, 220, 250, 300, 350];
const nodes = 3;
/** How long false suspicions are counted, in milliseconds. */
const observed = 120_000;
const crashes = 40;

interface Point {
  readonly timeout: number;
  /** The mean time from a crash to its detection by all, in milliseconds. */
  readonly detection: number;
  /** By one node of another one, in an hour. */
  readonly falseSuspicions: number;
}

function falseSuspicions(timeout: number): number {
  const protocol = { ...heartbeat({ timeout }), properties: [] };
  const run = new Simulation({
    protocol,
    topology: complete(nodes),
    conditions,
    workload: idleFor(observed),
  });
  const before = new Map<NodeId, number>();
  let count = 0;
  run.snapshots$.subscribe((node) => {
    const { length } = suspectedBy(node);
    count += Math.max(0, length - (before.get(node.id) ?? 0));
    before.set(node.id, length);
  });
  run.run();
  return (count * 3_600_000) / (observed * nodes * (nodes - 1));
}

/**
 * For a crash at `at`: how long it takes until the other one suspects the crashed node for good.
 */
function detection(timeout: number, at: number, seed: number): number {
  const protocol = { ...heartbeat({ timeout }), properties: [] };
  const faults = [{ kind: 'crash', node: 'a', at, inside: false }] as const;
  const run = new Simulation({
    protocol,
    topology: complete(2),
    conditions,
    faults,
    seed,
    workload: idleFor(at + 3 * timeout),
  });
  let since = Infinity;
  run.snapshots$.subscribe((node) => {
    if (node.id !== 'b') return;
    if (suspectedBy(node).length === 0) since = Infinity;
    else since = Math.min(since, run.clock.now());
  });
  run.run();
  return Math.max(0, since - at);
}

/** Always the same: the seeds are. */
function measured(): readonly Point[] {
  return timeouts.map((timeout) => {
    const times = Array.from({ length: crashes }, (_, index) =>
      detection(timeout, 500 + (index * 100) / crashes, index + 1),
    );
    const mean = times.reduce((sum, time) => sum + time, 0) / crashes;
    return { timeout, detection: mean, falseSuspicions: falseSuspicions(timeout) };
  });
}

/** As a table. */
const curve = (): string =>
  [
    '| time-out in ms | mean detection time in ms | false suspicions of a node by another one, in an hour |',
    '|---|---|---|',
    ...measured().map(
      ({ timeout, detection, falseSuspicions }) =>
        `| ${timeout} | ${Number.isFinite(detection) ? detection.toFixed(0) : 'not detected'} | ${falseSuspicions.toFixed(0)} |`,
    ),
  ].join('\n');

/** Within the bounds of time nobody is suspected who lives; a node that comes back is. */
const systems = () => [
  { topology: complete(2), budget: {} },
  { topology: complete(2), budget: { crashes: 1 } },
  {
    topology: complete(2),
    budget: { crashes: 1, restarts: 1 },
    violates: [strongAccuracy.name],
  },
];

export const mutants: Mutants = {
  withoutOptions: { systems },
  // False suspicions, and time-outs that grow.
  'growth=50 longest=200 timeout=100': {
    systems: () => [
      { topology: complete(2), budget: {} },
      { topology: complete(2), budget: { crashes: 1 } },
    ],
  },
};

export const parts = { curve };

export const verified: Verified = () =>
  systemsOf('C3 Heartbeat', [
    run('3 nodes', 'a crash, messages of 50 to 100 ms', heartbeat(), complete(3), { crashes: 1 }),
  ]);
