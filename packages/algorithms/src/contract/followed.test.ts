/**
 * Simulated runs of the algorithms that rely on time are runs of the explored system, in exact
 * time.
 */
import { follow } from '@conclave/check/internal';
import { idleFor } from '@conclave/core/internal/simulation';
import type { Protocol } from '@conclave/core/protocol';
import { closedLoop, oneShot, simulate, type Workload } from '@conclave/core/simulation';
import { isWhole, sampled } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { heartbeat } from '../detectors/heartbeat/protocol.js';
import { bully } from '../election/bully/protocol.js';
import { collectedIdsAcknowledged } from '../election/collected-ids/protocol.js';
import { firewire } from '../election/firewire/protocol.js';
import { ricartAgrawalaAcknowledged } from '../mutual-exclusion/permission/ricart-agrawala/protocol.js';
import { regeneratedToken } from '../mutual-exclusion/token/regenerated-token/protocol.js';

interface Case {
  readonly protocol: Protocol;
  readonly workload: () => Workload;
  /** How long the run is at most, in milliseconds. */
  readonly time: number;
  readonly loss?: number;
  readonly crash?: { readonly at: number; readonly restartAfter: number };
}

const elect = () => oneShot({ type: 'elect' }, { after: { kind: 'uniform', least: 0, most: 100 } });
const enter = () =>
  closedLoop({
    entries: 2,
    think: { kind: 'uniform', least: 0, most: 400 },
    hold: { kind: 'uniform', least: 0, most: 150 },
  });
const crash = { at: 217.3, restartAfter: 431.9 };
const forGood = { at: 120.2, restartAfter: 10_000 };

const cases: readonly (readonly [string, Case])[] = [
  [
    'A3 acknowledged with a crash',
    { protocol: ricartAgrawalaAcknowledged(), workload: enter, time: 5_000, crash: forGood },
  ],
  ['A14 with losses', { protocol: regeneratedToken(), workload: enter, time: 5_000, loss: 0.1 }],
  [
    'A14 with a given coordinator',
    { protocol: regeneratedToken({ coordinator: 'a' }), workload: enter, time: 5_000, loss: 0.1 },
  ],
  ['B1 with a crash and a restart', { protocol: bully(), workload: elect, time: 3_000, crash }],
  [
    'B1 with a detector',
    { protocol: bully({ detector: true }), workload: elect, time: 1_500, crash },
  ],
  [
    'B2 acknowledged with a crash',
    {
      protocol: collectedIdsAcknowledged(),
      workload: elect,
      time: 3_000,
      crash: { ...forGood, at: 0.3 },
    },
  ],
  ['B10', { protocol: firewire(), workload: elect, time: 3_000 }],
  [
    'C3 with a crash',
    {
      protocol: heartbeat(),
      workload: () => idleFor(1_000),
      time: 1_000,
      crash: { at: 217.3, restartAfter: 900 },
    },
  ],
];

it.each(cases)(
  'a simulated run within the bounds is a run of the explored system %s',
  (_name, { protocol, workload, time, loss = 0, crash }) => {
    const { time: model = 'untimed', order } = protocol.channels;
    const [least, most] = model === 'untimed' ? [1, 9] : model.delay;
    const topology = protocol.topology.example(3);
    let timeouts = 0;
    for (const seed of sampled([1, 2, 3, 4, 5], 1)) {
      const { trace } = simulate({
        protocol: { ...protocol, properties: [] },
        topology,
        workload: workload(),
        conditions: { order, delay: { kind: 'uniform', least: least ?? 0, most: most ?? 0 }, loss },
        faults: crash ? [{ kind: 'crash', node: 'c', ...crash }] : [],
        until: { time, steps: 400 },
        seed,
        record: true,
      });
      if (!trace) throw new Error('record: true brings a trace');
      const budget = { commands: 9, losses: 99, crashes: 1, restarts: 1, order };
      expect(follow(protocol, topology, trace, budget)).toMatchObject({
        steps: trace.lines.length,
      });
      timeouts += trace.lines.filter(({ event }) => event.kind === 'timeout').length;
    }
    if (isWhole) expect(timeouts).toBeGreaterThan(0);
  },
);
