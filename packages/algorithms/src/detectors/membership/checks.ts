import type { MutationSystem } from '@conclave/core/mutation';
import type { NodeView } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { because, type Mutants, type Reduced } from '../../checks/checks.js';
import { run, systemsOf, type Verified } from '../../checks/systems.js';
import { membership } from './protocol.js';

const crash = { crashes: 1, unsent: true } as const;
const multicast = { type: 'multicast', data: 'x' } as const;
const [join, leave] = [{ type: 'join' }, { type: 'leave' }] as const;

const only =
  (...ids: readonly string[]) =>
  ({ id }: NodeView) =>
    ids.includes(id);

const systems = (): readonly MutationSystem[] => {
  const ofA = { ...crash, mayCrash: only('a') };
  return [
    { topology: complete(2), budget: { ...crash, inputs: [multicast, leave], initiators: ['b'] } },
    { topology: complete(2), budget: { ...crash, restarts: 1, inputs: [multicast, join] } },
    { topology: complete(2), budget: { ...crash, restarts: 1, inputs: [leave, join] } },
    { topology: complete(3), budget: { inputs: [leave, join], initiators: ['a'] } },
    { topology: complete(3), budget: { ...crash, inputs: [multicast], initiators: ['c'] } },
    { topology: complete(3), budget: { ...ofA, inputs: [multicast, leave], initiators: ['a'] } },
    { topology: complete(3), budget: { ...ofA, inputs: [leave], initiators: ['b', 'c'] } },
    {
      topology: complete(3),
      budget: { ...ofA, restarts: 1, inputs: [leave, join], initiators: ['a'] },
    },
    {
      topology: complete(3),
      budget: {
        ...{ ...crash, crashes: 2, restarts: 1, mayCrash: only('a', 'b') },
        ...{ inputs: [join], initiators: ['a'] },
      },
    },
    {
      topology: complete(3),
      budget: { ...ofA, inputs: [leave, join], commands: 2, initiators: ['c'] },
    },
    { topology: complete(4), budget: { ...ofA, inputs: [leave], initiators: ['b', 'c'] } },
  ];
};

/** Each is a little larger than what can be explored for each mutant. */
const walks: Mutants[string]['walks'] = () => [
  {
    topology: complete(3),
    budget: {
      ...{ ...crash, crashes: 2, restarts: 1, mayCrash: only('a', 'b') },
      ...{ inputs: [multicast, join], initiators: ['a'] },
    },
    ...{ walks: 400, steps: 60 },
  },
  {
    topology: complete(3),
    budget: {
      ...{ ...crash, mayCrash: only('a') },
      ...{ inputs: [multicast, leave], initiators: ['a', 'c'] },
    },
    ...{ walks: 400, steps: 50 },
  },
  {
    topology: complete(4),
    budget: {
      ...{ ...crash, mayCrash: only('a') },
      ...{ inputs: [leave, join], initiators: ['b', 'd'] },
    },
    ...{ walks: 300, steps: 60 },
  },
  {
    topology: complete(4),
    budget: {
      ...{ ...crash, mayCrash: only('a') },
      ...{ inputs: [multicast, leave, join], initiators: ['a', 'c', 'd'] },
    },
    ...{ walks: 300, steps: 60 },
  },
];

/** Few walks take these, and none shows a harm. */
const reachedByWalks = {
  ...because(
    'The action sends nothing. Only walks take the transition, and walks do not show that two are equivalent',
    'flushing: submit keepEarly {drop|duplicate|misdirect}-send',
    'flushing: message #1 keepEarly {drop|duplicate|misdirect}-send',
  ),
  ...because(
    'The group as a whole then notes the message, which does less; it matters if a node that was asked crashes and comes back',
    'outside: leave-request delete-transition',
    'joining: join-request {delete-transition|#1 delete-transition}',
    'joining: join-request #1 askToJoin drop-action',
    'joining: down {delete-transition|#1 delete-transition|#1 ignore|#1 drop-guard|#1 negate-guard}',
    'joining: down #1 {noteDown|askToJoin} drop-action',
  ),
  ...because(
    'A member that leaves asks again in each view: a lost request shows where no view follows',
    'membership: leave-request #1 {delete-transition|ignore}',
  ),
  ...because(
    'A node that has left gets the flush of a coordinator that does not know: the one that decided it has crashed while it told the others',
    'outside: flush #1 {delete-transition|ignore|to *}',
    'outside: flush #1 tellDecision {duplicate-action|drop-send|duplicate-send|misdirect-send}',
  ),
  ...because(
    'Two coordinators ask one newcomer, of which the first crashes: it asks to join again when it learns of that',
    'joining: flush #2 delete-transition',
    'joining: flush #3 drop-guard',
    'joining: flush #4 {drop-guard|negate-guard}',
    'joining: flush #5 {delete-transition|ignore}',
    'joining: flush #5 tellBehind {drop|misdirect}-send',
    'joining: flush #6 {delete-transition|drop-guard|negate-guard}',
    'joining: flush #7 drop-guard',
    'joining: flushed {ignore|#1 ignore|#1 negate-guard}',
    'joining: flushed #1 tellDecision {drop|misdirect}-send',
  ),
  ...because(
    'Messages in a flush are of a view that ends, or come again with its decision',
    'flushing: submit ignore',
    'collecting: message {delete-transition|ignore|#2 delete-transition}',
    'collecting: flushed #4 {drop-guard|negate-guard}',
  ),
};

/** Transitions that no run takes, by what it would take. */
const neverTaken = {
  ...because(
    'A newcomer that has answered is asked again by the same coordinator: that one was told the next view by a member (GM11), so two coordinators before it have crashed while they announced it',
    'joining: flush #4 {delete-transition|ignore|to *}',
    'joining: flush #4 answerFlush {duplicate-action|drop-send|duplicate-send|misdirect-send}',
  ),
  ...because(
    'A member of a later view is asked, as a coordinator, by one of an earlier view: the coordinator of both has crashed while it announced the later one, and the next one after its own',
    'flushing: flushed #1 {delete-transition|ignore|to *}',
    'flushing: flushed #1 tellDecision {duplicate-action|drop-send|duplicate-send|misdirect-send}',
    'collecting: flushed #{2|4} {delete-transition|ignore|to *}',
    'collecting: flushed #2 keepEarly {duplicate-action|drop-send|duplicate-send|misdirect-send}',
    'collecting: flushed #4 tellDecision {duplicate-action|drop-send|duplicate-send|misdirect-send}',
  ),
  ...because(
    'A member of the next view multicasts to one that collects for this view: the coordinator of both has crashed while it announced the next one',
    '{collecting: submit|collecting: message} #1 {ignore|to *}',
    '{collecting: submit|collecting: message} #1 keepEarly {duplicate-action|drop-send|duplicate-send|misdirect-send}',
    'handover: {submit|message} {delete-transition|ignore|to *}',
    'handover: {submit|message} keepEarly {duplicate-action|drop-send|duplicate-send|misdirect-send}',
  ),
};

export const mutants: Mutants = {
  'founders=3 window=1 stateTransfer=true': {
    instead: true,
    systems,
    states: 8_000,
    walks,
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
      ...reachedByWalks,
      ...neverTaken,
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
