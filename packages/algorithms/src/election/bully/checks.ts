import { increases, type Protocol } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { because, type Mutants } from '../../checks/checks.js';
import { run, systemsOf, type Verified } from '../../checks/systems.js';
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
    'every live node knows the one leader, or a node has crashed',
  ],
} as const;

/** Of both rows; with a detector the election is a region. */
const inBothRows = {
  ...because('A duplicated message does no harm: bounds.test.ts', 'channels repeat'),
  ...because(
    'It holds an election at its first start, as with electAtStart',
    '*starting: always #1 drop-guard',
    '*starting: always #2 to *{yielding|rejoining} retarget',
  ),
  ...because(
    'A restarted node asks all others, waits longer, and asks the larger ones again: slower, and as safe',
    '*starting: always #1 to *yielding retarget',
  ),
  ...because(
    'A start is no step, so no property looks at its messages; two questions get the same answer',
    '*starting: always #1 askLower {duplicate-action|duplicate-send}',
  ),
  ...because(
    'Within the bounds no announcement of an earlier term arrives, no answer is late, and no leader hears of a later term',
    'unreached',
  ),
};

export const mutants: Mutants = {
  '': {
    systems: () => [
      { topology: complete(2), budget: {} },
      { topology: complete(2), budget: crash },
      { topology: complete(3), budget: {} },
      { topology: complete(3), budget: { ...crash, initiators: ['a'], time: fixed } },
      { topology: complete(3), budget: { crashes: 2, initiators: ['a'], time: fixed } },
      { topology: complete(3), ...late },
    ],
    reasons: {
      ...inBothRows,
      ...because(
        'A node that restarts asks the others twice, first all of them, then the larger ones',
        'starting: always #1 askLower misdirect-send',
      ),
    },
  },
  'detector=true': {
    systems: () => [
      { topology: complete(2), budget: { time: fixed } },
      { topology: complete(2), budget: { time: fixed, crashes: 1 } },
      { topology: complete(2), budget: { ...crash, initiators: ['a'], time: fixed } },
    ],
    reasons: {
      ...inBothRows,
      ...because(
        'Three nodes are too many with heartbeats; the row without the detector reaches it',
        'election.{electing|follower}: election #1 {delete-transition|ignore|to *}',
        'election.electing: election #1 {answer|witness}*',
        'election.follower: election #1 answer *',
        'election.follower: election #2 {delete-transition|ignore|drop-target|to *}',
        'election.follower: election #2 {forget|witness|answer|askHigher}*',
      ),
      ...because(
        'It begins its return anew: slower, and as safe',
        'election.rejoining: {elect|coordinator} to election.starting retarget',
      ),
      ...because(
        'A node that crashes in its start is then not suspected; to miss it is no violation without a stopwatch: bounds.test.ts of C3',
        'detector.monitor: entry detector:watchAll drop-action',
      ),
      ...because(
        'A second heartbeat at once changes nothing; the row of C3 notices it',
        'detector.sender.beating: entry detector:beat {duplicate-action|duplicate-send}',
      ),
      ...because(
        'A crash is then missed, or noticed twice. To miss it is no violation without a stopwatch: bounds.test.ts; C3 notices the rest',
        'detector.monitor: detector-overdue {delete-transition|ignore}',
        'detector.monitor: detector-overdue detector:suspect *-action',
      ),
    },
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
