import type { Budget } from '@conclave/core/exploration';
import { complete } from '@conclave/core/topology';
import { because, type Mutants } from '../../../checks/checks.js';

export { verified } from './verified.js';

/** Messages of exactly one second. */
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;
/** The holder may outstay its lease. */
const long = { ...time, stays: { critical: [0, 8_000] } } as const;
/** Messages that take no time: fewer worlds where both nodes request. */
const instant = { ...time, delay: [0, 0] } as const;
/** Stays take no time, either. */
const points = { ...instant, stays: { critical: [0, 0] } } as const;
/** The holder leaves in the moment in which the votes of its first request count no longer. */
const whole = { ...instant, stays: { critical: [4_000, 4_000] } } as const;
/** The same, or earlier. */
const upToValidity = { ...instant, stays: { critical: [0, 4_000] } } as const;
/** Long enough for a change. */
const slow = { ...time, delay: [500, 500], stays: { critical: [2_000, 2_000] } } as const;
const outstaying = { ...instant, stays: { critical: [0, 8_000] } } as const;

/** Three nodes contend, in few worlds. */
const fifo = { order: 'fifo', time: points } as const;
const acquire = [{ type: 'acquire' }];
const yielding = [...acquire, { type: 'yield' }];
const to = (...voters: readonly string[]) => [...acquire, { type: 'change', voters }];
const contending = {
  topology: complete(3),
  budget: { initiators: ['a', 'b'], inputs: acquire, ...fifo },
} as const;

const twice = { initiators: ['c'], commands: 2, inputs: acquire, ...fifo } as const;

type Systems = NonNullable<Mutants[string]['systems']>;

/**
 * Losses end leases, a restart binds a voter anew, and nodes that request inquire of each other,
 * refuse each other, and hear of it late.
 */
const systems = () => [
  { topology: complete(2), budget: { initiators: ['a'], losses: 3, time: long } },
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1, time } },
  { topology: complete(2), budget: { initiators: ['b'], losses: 1, duplications: 1, time: long } },
  { topology: complete(3), budget: { initiators: ['b'], crashes: 1, restarts: 1, time } },
  { topology: complete(2), budget: { losses: 1, time: instant } },
  { topology: complete(2), budget: { time } },
  contending,
];

/** The client and its two further timers; the other regions are as without. */
const keeping: Systems = () => [
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, time } },
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1, time } },
  { topology: complete(2), budget: { commands: 2, inputs: acquire, time: points } },
  { topology: complete(2), budget: { initiators: ['b'], losses: 1, duplications: 1, time: long } },
  { topology: complete(2), budget: { losses: 1, time: points } },
  { topology: complete(2), budget: { initiators: ['a'], losses: 2, time: points } },
  contending,
];

/** Another node waits when one leaves; in the last system, a lease ends as it leaves. */
const staying: Systems = () => [
  { topology: complete(2), budget: { initiators: ['a'], losses: 2, time: points } },
  { topology: complete(2), budget: { inputs: acquire, time: points } },
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, time } },
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1, time } },
  contending,
  { topology: complete(2), budget: { commands: 2, inputs: acquire, time: points } },
  { topology: complete(2), budget: { commands: 2, inputs: yielding, ...fifo } },
  { topology: complete(2), budget: { inputs: acquire, losses: 1, order: 'fifo', time: whole } },
];

/** With two servers: `c` is a client. */
const serving: Systems = () => [
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1, time } },
  { topology: complete(2), budget: { initiators: ['b'], losses: 1, duplications: 1, time: long } },
  { topology: complete(2), budget: { inputs: acquire, losses: 1, time: points } },
  { topology: complete(3), budget: { initiators: ['c'], losses: 1, time } },
  { topology: complete(3), budget: { ...twice, duplications: 1 } },
  { topology: complete(3), budget: { ...twice, losses: 1 } },
  { topology: complete(3), budget: { initiators: ['b', 'c'], inputs: acquire, time: points } },
];

const revoking: Systems = () => [
  { topology: complete(2), budget: { initiators: ['a'], time } },
  { topology: complete(2), budget: { initiators: ['a'], losses: 1, time: long } },
  contending,
];

/** Two nodes vote at first: what they do without a change, and then changes. */
const changing: Systems = () => [
  ...systems().flatMap(({ topology, budget }) =>
    topology.nodes.length === 2 ? [{ topology, budget: { ...budget, inputs: acquire } }] : [],
  ),
  { topology: complete(2), budget: { initiators: ['a'], time: slow } },
  { topology: complete(2), budget: { initiators: ['a'], losses: 2, time: upToValidity } },
  { topology: complete(3), budget: { initiators: ['c'], losses: 1, time: points } },
  ...['ab', 'bc', 'ac'].map((names) => ({
    topology: complete(3),
    budget: { initiators: [...names], inputs: to('b'), ...fifo },
  })),
];

const through = (budget: Budget, walks = 100) => ({
  topology: complete(3),
  budget: { ...budget, duplications: 1 },
  ...{ walks, steps: 120 },
});

const inEachRow = because(
  'Properties see no timers: it renews earlier with its new ballot',
  'client.waiting: inquire #1 drop-target',
);
const seldom =
  'A holder may renew less often or later, as long as no renewal comes too late: it loses the lock earlier, with notice';
const renewsLess = because(
  seldom,
  'client.held: vote #1 to client.waiting retarget',
  'client.held: after renewal drop-timer',
  'client.held: after renewal {#1|#2} drop-target',
);
const bindsLonger = (...patterns: readonly string[]) =>
  because(
    'Properties see no timers: a message that does not concern the vote starts its lease anew, and it binds for longer',
    ...patterns,
  );
const floorComesAgain = (pattern: string) =>
  because(
    'A floor that comes with a renewal comes again with what ends the vote, or the end of the lease raises it',
    pattern,
  );
const leaseEnds = because(
  'It shows where the release of a holder is lost while another node waits, which no system here combines',
  'voter.bound: after lease drop-timer',
);
const endless = because('Numbers grow for ever: the search reached its limit', 'inconclusive');

export const mutants: Mutants = {
  'lease=5000 renewal=2000': {
    instead: true,
    systems,
    reasons: {
      ...inEachRow,
      ...renewsLess,
      ...bindsLonger(
        'voter.bound: request #6 to voter.free retarget',
        'voter.bound: released #2 to voter.free retarget',
      ),
      ...floorComesAgain('voter.bound: request #1 learn drop-action'),
      ...endless,
    },
  },
  'lease=5000 renewal=2000 keep=3000': {
    systems: keeping,
    parts: ['even', 'odd', 'voter'],
    reasons: {
      ...inEachRow,
      ...because(seldom, 'renewals.running: after renewal {drop-timer|drop-target}'),
      ...because(
        'Without an end of `keep`, rounds count up for ever, and the search reaches its limit of states',
        'tenure.running: after keep drop-timer',
      ),
    },
  },
  'lease=5000 renewal=2000 keep=3000 greedy=1': {
    systems: staying,
    // the row without it has these states
    parts: ['client.idle', 'client.waiting', 'even', 'odd', 'renewals', 'tenure', 'voter'],
    reasons: {
      ...because(
        'An inquiry about an earlier ballot comes in that turn; the row without `greedy` kills the same mutants of `keeping`',
        'client.staying: inquire #2 {delete-transition|ignore|to *}',
        'client.staying: inquire #2 returnThisVote *',
      ),
      ...because(
        'The turn takes no time, so that it ends at the same moment as the lease',
        'client.staying: always drop-always',
      ),
      ...because(
        'Others wait, so that the votes go back at once instead of at the end of the turn',
        'client.staying: renew to client.keeping retarget',
      ),
      ...because(
        'Properties see no timers: the votes go back later, at the end of their lease',
        'client.staying: after turn drop-timer',
      ),
    },
  },
  'lease=5000 renewal=2000 servers=2': {
    systems: serving,
    walks: () => [
      through({ initiators: ['b', 'c'], losses: 2, duplications: 1, time: outstaying }, 200),
    ],
    // the row without it has the states of clients
    parts: ['client', 'even', 'odd'],
    reasons: {
      ...floorComesAgain('voter voter.bound: request #1 learn drop-action'),
      ...bindsLonger('voter voter.bound: {request #6|released #2} to voter.free retarget'),
      ...because(
        'Properties see no timers: it sweeps later, or once',
        'voter sweep.running: after lease {drop-target|to sweep.off retarget}',
      ),
      ...endless,
    },
  },
  'lease=5000 renewal=2000 voters=a,b': {
    systems: changing,
    walks: () => [
      through({ losses: 1, time: upToValidity }),
      through({ losses: 2, time: outstaying, inputs: to('a', 'c') }),
    ],
    parts: ['even', 'odd'],
    reasons: {
      ...inEachRow,
      ...because(seldom, 'client.held: after renewal {drop-timer|#1 drop-target|#2 drop-target}'),
      ...bindsLonger('voter.bound: {request #7|released #2} to voter.free retarget'),
      ...floorComesAgain('voter.bound: request #2 learn drop-action'),
      ...endless,
    },
  },
  'lease=5000 renewal=2000 revoke=true': {
    systems: revoking,
    parts: ['even', 'odd'],
    reasons: {
      ...because(
        'Then the node does not offer the command',
        'client.{idle|waiting|held}: revoke delete-transition',
      ),
      ...renewsLess,
      ...because(
        'The row without `revoke` kills the same mutant',
        'client.waiting: after renewal drop-target',
      ),
      ...bindsLonger('voter.bound: {request #1|released #2|revoked} to voter.free retarget'),
      ...floorComesAgain('voter.bound: request #2 learn drop-action'),
      ...endless,
      ...because(
        'The older request comes again after `renewal`, when it is first: properties ask only for the inquiry',
        'voter.bound: request #6 enqueue drop-action',
      ),
      ...leaseEnds,
    },
  },
  'lease=5000 renewal=2000 priority=true': {
    systems: () => [
      { topology: complete(2), budget: { initiators: ['a'], time } },
      { topology: complete(2), budget: { initiators: ['a'], losses: 1, time: long } },
      { topology: complete(2), budget: { time: instant } },
    ],
    parts: ['even', 'odd'],
    reasons: {
      ...renewsLess,
      ...because(
        'The row without `priority` kills the same mutant',
        'client.waiting: after renewal drop-target',
        'voter.bound: request #5 inquire drop-send',
        'voter.bound: after lease voteForFirst drop-action',
      ),
      ...leaseEnds,
      ...floorComesAgain('voter.bound: request #1 learn drop-action'),
      ...endless,
    },
  },
  // the row without it has the other states
  'cancel=true': {
    systems: () => [
      { topology: complete(2), budget: { initiators: ['b'], commands: 2, time } },
      { topology: complete(3), budget: { initiators: ['b'], losses: 1, time } },
      { topology: complete(2), budget: { time: instant } },
      contending,
    ],
    parts: ['client.idle', 'client.held', 'even', 'odd', 'voter'],
    reasons: {
      ...because(
        'No property asks for it: votes that are not returned end with their lease. The rule is tested by itself',
        'client.waiting: cancel returnVotes drop-*',
      ),
      ...because(
        'The row without `cancel` kills the same mutant',
        'client.waiting: after renewal drop-timer',
      ),
    },
  },
};
