import type { MutationSystem } from '@conclave/core/mutation';
import type { NodeView } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { because, type Mutants, type Reduced } from '../../checks/checks.js';
import { run, systemsOf, type Verified } from '../../checks/systems.js';
import { membership } from './protocol.js';

const crash = { crashes: 1, unsent: true } as const;
const multicast = { type: 'multicast', data: 'x' } as const;
const [join, leave] = [{ type: 'join' }, { type: 'leave' }] as const;

const systems = (): readonly MutationSystem[] => [
  { topology: complete(2), budget: { ...crash, inputs: [multicast, leave], initiators: ['b'] } },
  { topology: complete(2), budget: { ...crash, restarts: 1, inputs: [multicast, join] } },
  { topology: complete(3), budget: { inputs: [leave, join], initiators: ['a'] } },
  { topology: complete(3), budget: { ...crash, inputs: [multicast], initiators: ['c'] } },
  { topology: complete(3), budget: { ...crash, inputs: [leave], initiators: ['b'] } },
  { topology: complete(2), budget: { ...crash, restarts: 1, inputs: [leave, join] } },
  {
    topology: complete(3),
    budget: {
      ...{ ...crash, restarts: 1, mayCrash: ({ id }: NodeView) => id === 'a' },
      ...{ inputs: [join, leave], initiators: ['a'] },
    },
  },
  { topology: complete(3), budget: { ...crash, inputs: [leave, join], initiators: ['b'] } },
];

export const mutants: Mutants = {
  'window=1 stateTransfer=true': {
    instead: true,
    systems,
    states: 5_000,
    walks: () => [
      {
        topology: complete(3),
        budget: { ...crash, restarts: 1, inputs: [multicast, leave, join] },
        ...{ walks: 120, steps: 120 },
      },
    ],
    reasons: {
      ...because(
        'A restarted node has no view to flush: it is told that it is excluded, and is outside',
        'starting: always #2 to collecting retarget',
      ),
      ...because(
        'The coordinator is still the one that must act: it asks for the flush again, which takes longer',
        'collecting: {leave|submit #2|message #2|flush #2} to open retarget',
        'handover: flush {#1|#2} to open retarget',
      ),
      ...because(
        'A message that is kept for no reason is of an earlier view when it is read, and ignored',
        'collecting: {submit|message} #1 {drop|negate}-guard',
        'flushing: message #1 drop-guard',
      ),
      ...because(
        'No view begins without an answer of each member, so nothing of another view reaches one that has not answered, unless a suspicion is false',
        'open: flush #2 {delete-transition|to *}',
      ),
      ...because(
        'In total order the sequencer flushes its own view, and acknowledgements come before the answers; in FIFO order there are others',
        'open: acknowledge #1 {delete-transition|to *}',
      ),
      ...because('Attempts to join then grow without bound', 'inconclusive'),
      ...because(
        'It takes a coordinator that crashes when some members have the next view and the coordinator after it has not: four nodes reach it, which take too long for all mutants',
        'unreached',
      ),
      ...because(
        'Few walks take it, or none of those that do shows a harm: more walks kill more of them',
        'survived',
      ),
    },
  },
};

export const verified: Verified = () => {
  const two = membership({ founders: 2 });
  const joins = { ...crash, inputs: [join, multicast] };
  // without what is reached by messages
  const properties = two.properties.filter(({ kind }) => kind !== 'sometimes');
  return systemsOf('C5 Group membership', [
    run(
      '3 nodes',
      '2 members, one node joins, each multicasts, a crash that loses messages, FIFO',
      two,
      complete(3),
      joins,
    ),
    run(
      '3 nodes',
      "order 'fifo', 2 members, one node joins, each multicasts, a crash that loses messages, FIFO",
      membership({ order: 'fifo', founders: 2 }),
      complete(3),
      joins,
    ),
    run(
      '4 members',
      'one multicasts, two crashes that lose messages, FIFO',
      membership(),
      complete(4),
      { ...crash, crashes: 2, inputs: [multicast], initiators: ['c'] },
    ),
    run(
      '3 nodes',
      'one member, two nodes join, a crash that loses messages and a restart, FIFO',
      membership({ founders: 1 }),
      complete(3),
      { ...joins, restarts: 1, initiators: ['b', 'c'] },
    ),
    run(
      '3 nodes',
      '2 members, any node joins and leaves, a crash that loses messages, FIFO',
      two,
      complete(3),
      { ...crash, inputs: [join, leave], properties },
    ),
  ]);
};

/** Without FIFO, or with two commands, even two members have too many worlds. */
export const reduced: Reduced = { once: 1, twice: 1, crashing: 2, oneExample: true };
