import type { MutationSystem } from '@conclave/check';
import { always, increases } from '@conclave/core/protocol';
import { ring } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../../checks/checks.js';
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

export const mutants: Mutants = {
  withoutOptions: {
    systems,
    states: 40_000,
    // B3, whose page has the mutants of these states
    parts: ['election'],
  },
  'coordinator=a': {},
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
