import { complete } from '@conclave/core/topology';
import { because, type Mutants } from '../../checks/checks.js';
import { run, systemsOf, type Verified } from '../../checks/systems.js';
import { virtualTree } from './protocol.js';

/**
 * Two neighbours besides the parent: four nodes that join and leave with two addresses each have
 * 786,881 states. The tests cover the rules.
 */
const inBothRows = {
  ...because(
    'It takes four nodes that join and leave, with two addresses each: too many states for mutants',
    'node present: lost *',
    'node present.dissolving: always #1 {drop-always|drop-target|to *}',
    'node present.dissolving: always #1 {settle|choose|announce}*',
  ),
  ...because(
    'It does not wait for all answers, only for the first level; the tree stays a tree',
    'node present.registering: addresses #2 connect duplicate-action',
  ),
  ...because('A node need not leave', 'node present.attached: leave ignore'),
};

export const mutants: Mutants = {
  '': {
    systems: () => [
      { topology: complete(3), budget: {} },
      { topology: complete(4), budget: { inputs: [{ type: 'join' }] } },
    ],
    reasons: {
      ...inBothRows,
      ...because(
        'It takes four nodes that join and leave; see addresses=1',
        'node present.dissolving: noted to present.{registering|connecting} retarget',
        'node present.attached: lost #1 dissolve drop-action',
      ),
      ...because(
        'It takes four nodes that join and leave; with addresses=1 it is noticed',
        'registry open: register #1 {ignore|nameRoot misdirect-send}',
        'registry open: closed #2 ignore',
        'node present.connecting: always choose, announce swap-actions',
        'node present.connecting: closed {delete-transition|register drop-action}',
        'node present.dissolving: always #1 *-guard',
        'node present.dissolving: always #2 {to present.attached retarget|register drop-action}',
        'node present.attached: closed #1 {drop-target|to *|dissolve drop-action}',
        'unreached',
      ),
    },
  },
  'addresses=1': {
    systems: () => [3, 4].map((n) => ({ topology: complete(n), budget: {} })),
    states: 100_000,
    reasons: {
      ...inBothRows,
      ...because(
        'It has more than three times as many states as the protocol itself',
        'node present.connecting: level to present.dissolving retarget',
      ),
      ...because(
        'With three members, a node that awaits an answer is the next root: be-root ends its wait',
        'node present.dissolving: noted to present.{registering|connecting} retarget',
      ),
      ...because(
        'With three members, a node whose parent sends lost has no other neighbours, and its next place overwrites parent and level',
        'node present.attached: lost #1 dissolve drop-action',
      ),
    },
  },
};

export const verified: Verified = () =>
  systemsOf('B13 Virtual tree', [
    run('a registry and 3 nodes', 'each joins and leaves, FIFO', virtualTree(), complete(4)),
  ]);
