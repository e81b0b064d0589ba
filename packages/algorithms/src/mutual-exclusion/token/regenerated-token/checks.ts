import type { MutationSystem } from '@conclave/core/mutation';
import { always, increases } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { because, type Mutants } from '../../../checks/checks.js';
import { run, systemsOf, type Verified } from '../../../checks/systems.js';
import { regeneratedToken } from './protocol.js';

/**
 * A long stay makes the coordinator regenerate blindly; two losses make it inquire, and inquire
 * again.
 */
const systems = (): readonly MutationSystem[] => [
  ...[{ commands: 1 }, { commands: 1, losses: 1 }, { commands: 1, losses: 2 }, { commands: 2 }].map(
    (budget): MutationSystem => ({ topology: ring(2), budget: { ...budget } }),
  ),
  { topology: ring(3), budget: { commands: 1 } },
];

const inBothRows = {
  ...because(
    'A coordinator restarts only after a crash, which no system here has; assumptions.test.ts explores it on two nodes',
    'regenerator.off: always #2 {drop-always|drop-target|to *}',
  ),
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
    reasons: {
      ...inBothRows,
      ...because(
        'Every node is a candidate from its start, and is not told to elect again',
        'election.passive.relaying: election-elect {delete-transition|ignore}',
        'election.{active|leader|follower}: election-elect *',
      ),
      ...because(
        'No candidacy reaches a node that has not started one, unless it restarts',
        'election.passive.asleep: election-election *',
      ),
      ...because(
        'The machine is that of B3, whose properties notice it; here the first token makes up for it',
        'election.passive: election-elected {delete-transition|ignore|drop-target}',
        'election.passive: election-elected to *{passive|active} retarget',
        'election.passive: election-elected election:forward drop-action',
        'election.passive.asleep: election-elect election:candidate {drop|duplicate}-action',
        'election.passive.relaying: * retarget',
        'election.passive.relaying: {election:waiting drop-tag|election-election #1 drop-guard}',
        'election.active: election:waiting drop-tag',
        'election.active: election-election #1 {drop-target|to *asleep retarget}',
        'election.active: election-election #1 election:forward drop-action',
        'election.active: election-election #3 election:announce drop-action',
        'election.leader*: * drop-tag',
        'election.leader: election-election to *',
        'election.leader.announcing: election-elected {delete-transition|ignore*|negate-guard}',
        'election.follower: election:decided drop-tag',
        'election.follower: election-election to *{passive|active} retarget',
      ),
    },
  },
  'coordinator=a': {
    reasons: {
      ...inBothRows,
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
