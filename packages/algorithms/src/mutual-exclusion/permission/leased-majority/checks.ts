import { complete } from '@conclave/core/topology';
import { because, type Mutants } from '../../../checks/checks.js';
import { run, systemsOf, type Verified } from '../../../checks/systems.js';
import { leasedMajority } from './protocol.js';

/** Messages of exactly one second. */
const messages = { kind: 'exact', delay: [1_000, 1_000] } as const;
const time = { ...messages, stays: { critical: [0, 1_000] } } as const;
/** The holder may outstay its lease. */
const long = { ...messages, stays: { critical: [0, 8_000] } } as const;

/** Messages that take no time: fewer worlds where both nodes request. */
const instant = { ...time, delay: [0, 0] } as const;

/** Stays take no time, either. */
const points = { ...instant, stays: { critical: [0, 0] } } as const;

/** The holder leaves in the moment in which the votes of its first request count no longer. */
const whole = { ...instant, stays: { critical: [4_000, 4_000] } } as const;

const outstaying = { ...instant, stays: { critical: [0, 8_000] } } as const;

/** Three nodes contend, in few worlds. */
const fifo = { order: 'fifo', time: points } as const;
const acquire = [{ type: 'acquire' }];
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
const systems: Systems = () => [
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
  {
    topology: complete(2),
    budget: { commands: 2, inputs: [...acquire, { type: 'yield' }], ...fifo },
  },
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

const inEachRow = because(
  'Properties see no timers: it renews earlier with its new ballot',
  'client.waiting: inquire #1 drop-target',
);
const renewsLess =
  'A holder may renew less often or later, as long as no renewal comes too late: it loses the lock earlier, with notice';
const noTimer =
  'It shows where the release of a holder is lost while another node waits, which no system here combines';
const ofVoters = {
  ...because(
    'Properties see no timers: a message that does not concern the vote starts its lease anew, and it binds for longer',
    'voter.bound: request #6 to voter.free retarget',
    'voter.bound: released #2 to voter.free retarget',
  ),
  ...because(
    'A floor that comes with a renewal comes again with what ends the vote, or the end of the lease raises it',
    'voter.bound: request #1 learn drop-action',
  ),
  ...because('Ballots or rounds count up for ever: the search reached its limit', 'inconclusive'),
};

export const mutants: Mutants = {
  'lease=5000 renewal=2000': {
    instead: true,
    systems,
    reasons: {
      ...inEachRow,
      ...because(
        renewsLess,
        'client.held: vote #1 to client.waiting retarget',
        'client.held: after renewal drop-timer',
        'client.held: after renewal {#1|#2} drop-target',
      ),
      ...ofVoters,
    },
  },
  'lease=5000 renewal=2000 keep=3000': {
    systems: keeping,
    parts: ['even', 'odd', 'voter'],
    reasons: {
      ...inEachRow,
      ...because(renewsLess, 'renewals.running: after renewal {drop-timer|drop-target}'),
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
      {
        topology: complete(3),
        budget: { initiators: ['b', 'c'], losses: 2, duplications: 1, time: outstaying },
        ...{ walks: 200, steps: 120 },
      },
    ],
    // the row without it has the states of clients
    parts: ['client', 'even', 'odd'],
    reasons: {
      ...because(
        'A floor that comes with a renewal comes again with what ends the vote, or the end of the lease raises it',
        'voter voter.bound: request #1 learn drop-action',
      ),
      ...because(
        'Properties see no timers: a message that does not concern the vote starts its lease anew, and it binds for longer',
        'voter voter.bound: {request #6|released #2} to voter.free retarget',
      ),
      ...because(
        'Properties see no timers: it sweeps later, or once',
        'voter sweep.running: after lease {drop-target|to sweep.off retarget}',
      ),
      ...because('Ballots count up for ever: the search reached its limit', 'inconclusive'),
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
      ...because(
        renewsLess,
        'client.held: vote #1 to client.waiting retarget',
        'client.held: after renewal drop-timer',
        'client.held: after renewal {#1|#2} drop-target',
      ),
      ...because(
        'The row without `revoke` kills the same mutant',
        'client.waiting: after renewal drop-target',
      ),
      ...because(
        'Properties see no timers: a message that does not concern the vote starts its lease anew, and it binds for longer',
        'voter.bound: {request #1|released #2|revoked} to voter.free retarget',
      ),
      ...because(
        'A floor that comes with a renewal comes again with what ends the vote, or the end of the lease raises it',
        'voter.bound: request #2 learn drop-action',
      ),
      ...because('Ballots count up for ever: the search reached its limit', 'inconclusive'),
      ...because(
        'The older request comes again after `renewal`, when it is first: properties ask only for the inquiry',
        'voter.bound: request #6 enqueue drop-action',
      ),
      ...because(noTimer, 'voter.bound: after lease drop-timer'),
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
      ...because(
        renewsLess,
        'client.held: vote #1 to client.waiting retarget',
        'client.held: after renewal drop-timer',
        'client.held: after renewal {#1|#2} drop-target',
      ),
      ...because(
        'The row without `priority` kills the same mutant',
        'client.waiting: after renewal drop-target',
        'voter.bound: request #5 inquire drop-send',
        'voter.bound: after lease voteForFirst drop-action',
      ),
      ...because(noTimer, 'voter.bound: after lease drop-timer'),
      ...because(
        'A floor that comes with a renewal comes again with what ends the vote, or the end of the lease raises it',
        'voter.bound: request #1 learn drop-action',
      ),
      ...because('Ballots count up for ever: the search reached its limit', 'inconclusive'),
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

/** A lease as short as it may be: the fewer moments, the fewer worlds. */
const leased = leasedMajority({ lease: 5_000, renewal: 2_000 });

export const verified: Verified = () =>
  systemsOf('A19 Leased votes of a majority', [
    run(
      '3 nodes',
      'two nodes an entry each, a crash and a restart, messages of 1 s',
      leased,
      complete(3),
      { initiators: ['a', 'b'], crashes: 1, restarts: 1, time },
    ),
    run('3 nodes', 'two nodes an entry each, a loss, messages of 1 s', leased, complete(3), {
      initiators: ['a', 'b'],
      losses: 1,
      time,
    }),
  ]);
