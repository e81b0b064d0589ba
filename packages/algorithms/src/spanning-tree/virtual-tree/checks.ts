import { complete } from '@conclave/core/topology';
import { because, type Mutants } from '../../checks/checks.js';
import { run, systemsOf, type Verified } from '../../checks/systems.js';
import { virtualTree } from './protocol.js';

const inBothRows = {
  ...because(
    'It does not wait for all answers, only for the first level; the tree stays a tree',
    'node present.registering: addresses #2 connect duplicate-action',
  ),
  ...because(
    'It registers anew instead of choosing a neighbour: slower, and the tree stays a tree',
    'node present.dissolving: always #1 drop-always',
  ),
  ...because(
    'It announces that it has no level, so no neighbour chooses it, and the tree stays a tree',
    'node present.dissolving: always #1 choose, announce swap-actions',
  ),
  ...because('A node need not leave', 'node present.attached: leave ignore'),
};
/** Walks cannot show that a mutant is equivalent. */
const sameResult =
  'Equivalent: the two actions concern different fields, or the second time changes nothing';

/** Four nodes that join and leave have 786,881 states: walks reach what takes them. */
export const mutants: Mutants = {
  '': {
    systems: () => [
      { topology: complete(3), budget: {} },
      { topology: complete(4), budget: { time: { kind: 'exact', delay: [100, 100] } } },
    ],
    states: 100_000,
    walks: () => [{ topology: complete(4), budget: {}, walks: 150, steps: 150 }],
    reasons: {
      ...inBothRows,
      ...because(
        'It announces that it has no level, so no neighbour chooses it, and the tree stays a tree',
        'node present.connecting: always choose, announce swap-actions',
      ),
      ...because(
        'It goes on with the answers of its other neighbour; no walk shows a harm',
        'node present.connecting: closed delete-transition',
      ),
      ...because(
        'It then waits for a neighbour where it should register anew; no walk shows that it waits for ever',
        'node present.dissolving: noted to present.connecting retarget',
      ),
      ...because(
        sameResult,
        'node present.attached: lost #1 {noteLoss|oweParent} duplicate-action',
        'node present.attached: lost #1 {noteLoss, oweParent|oweParent, dissolve} swap-actions',
      ),
    },
  },
  'addresses=1': {
    systems: () => [3, 4].map((n) => ({ topology: complete(n), budget: {} })),
    states: 100_000,
    walks: () => [{ topology: complete(6), budget: {}, walks: 150, steps: 300 }],
    reasons: {
      ...inBothRows,
      ...because(
        sameResult,
        'node present: lost noteLoss duplicate-action',
        'node present: lost noteLoss, answerLevel swap-actions',
        'node present.dissolving: always #1 {settle|choose} duplicate-action',
        'node present.dissolving: always #1 settle, choose swap-actions',
      ),
      ...because(
        'A neighbour that is not told of the new level does not choose it, and the tree stays a tree',
        'node present.dissolving: always #1 announce drop-send',
      ),
    },
  },
};

export const verified: Verified = () =>
  systemsOf('B13 Virtual tree', [
    run('a registry and 3 nodes', 'each joins and leaves, FIFO', virtualTree(), complete(4)),
  ]);
