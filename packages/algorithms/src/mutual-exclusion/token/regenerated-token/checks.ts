import type { MutationSystem } from '@conclave/core/mutation';
import { always, increases } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { because, type Mutants } from '../../../checks/checks.js';
import { run, systemsOf, type Verified } from '../../../checks/systems.js';
import { regeneratedToken } from './protocol.js';

/**
 * A long stay makes the coordinator regenerate blindly, and a loss makes it inquire. One that
 * restarts is one already.
 */
const systems = (): readonly MutationSystem[] => [
  { topology: ring(2), budget: { commands: 1 } },
  { topology: ring(2), budget: { commands: 0, crashes: 1, restarts: 1 } },
  { topology: ring(2), budget: { commands: 1, losses: 1 } },
  { topology: ring(2), budget: { commands: 2 } },
  { topology: ring(3), budget: { commands: 1 } },
];

const inBothRows = {
  ...because(
    'Noticed only if a message is lost after a stay longer than the timeout, which the systems do not combine',
    'regenerator.watching: {token #1|inquiry} to regenerator.off retarget',
  ),
  ...because(
    'The coordinator then makes a token at each timeout, so epochs grow without bound: the search finds no violation within its limits',
    'regenerator.watching: token #3 drop-target',
  ),
};

export const mutants: Mutants = {
  '': {
    systems,
    states: 40_000,
    // B3, whose page has the mutants of these states
    parts: ['election'],
    reasons: {
      ...inBothRows,
      ...because(
        'A coordinator that restarts makes no token then, and a restarted node elects again: no property asks for progress after a crash',
        'regenerator.off: always #2 drop-target',
        'candidacy.starting: {always #1 drop-guard|always #2 to candidacy.electing retarget}',
      ),
      ...because(
        'It then repeats its candidacy once: the systems lose one message',
        'candidacy.electing: after timeout #1 drop-target',
      ),
    },
  },
  'coordinator=a': {
    reasons: {
      ...inBothRows,
      ...because(
        'A coordinator restarts only after a crash, which no system here has; the row without a given coordinator reaches it',
        'regenerator.off: always #2 {drop-always|drop-target|to *}',
      ),
      ...because(
        'A start is no step, and of two tokens that it makes the older is discarded',
        'regenerator.off: always #1 makeToken duplicate-action',
      ),
    },
  },
};

export const verified: Verified = () => {
  const [elected, given] = [regeneratedToken(), regeneratedToken({ coordinator: 'a' })];
  const time = { kind: 'exact', delay: [0, 100], stays: { critical: [0, 200] } } as const;
  const properties = [
    always('at most one node is in the critical section', (all) => all.count('critical') <= 1),
    increases('fencing tokens grow', (node) =>
      node.tags.has('critical') ? elected.fence?.(node) : undefined,
    ),
  ];
  return systemsOf('A14 Regenerated token', [
    run('ring of 3', 'given coordinator, 2 entries each, any order, exact time', given, ring(3), {
      commands: 2,
    }),
    run('ring of 4', 'given coordinator, an entry each, any order, exact time', given, ring(4)),
    run(
      'ring of 3',
      'given coordinator, 2 entries each, 1 message lost, any order, exact time',
      given,
      ring(3),
      { commands: 2, losses: 1 },
    ),
    run(
      'ring of 4',
      'given coordinator, an entry each, 2 messages lost, any order, exact time',
      given,
      ring(4),
      { losses: 2 },
    ),
    run(
      'ring of 4',
      'elected coordinator, an entry each, one message lost, any order, exact time',
      elected,
      ring(4),
      { losses: 1 },
    ),
    run(
      'ring of 3',
      'elected coordinator, 2 entries each, one message lost, any order, exact time',
      elected,
      ring(3),
      { commands: 2, losses: 1 },
    ),
    run(
      'ring of 3',
      'elected coordinator, an entry each, one crash and restart, stays of at most 200 ms, any order, exact time',
      elected,
      ring(3),
      { time, crashes: 1, restarts: 1, properties },
    ),
  ]);
};
