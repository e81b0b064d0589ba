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

/**
 * Losses end leases, a restart binds a voter anew, and two nodes that both request inquire of each
 * other.
 */
const systems: NonNullable<Mutants[string]['systems']> = () => [
  { topology: complete(2), budget: { initiators: ['a'], losses: 3, time: long } },
  { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1, time } },
  { topology: complete(2), budget: { initiators: ['b'], losses: 1, duplications: 1, time: long } },
  { topology: complete(3), budget: { initiators: ['b'], crashes: 1, restarts: 1, time } },
  { topology: complete(2), budget: { losses: 1, time: instant } },
  { topology: complete(2), budget: { time } },
];

const inBothRows = {
  ...because(
    'A client may skip a ballot of its own',
    'client.idle: acquire takeBallot duplicate-action',
    'client.waiting: inquire #1 takeBallot duplicate-action',
  ),
  ...because('The search reached its limit of states', 'inconclusive'),
  ...because(
    'A client that requests nothing does not read its votes; the next request starts anew',
    'client.*: * forgetVotes drop-action',
  ),
  ...because(
    'A holder may renew less often, later or at fewer voters, as far as no renewal comes too late: it loses the lock earlier, with notice',
    'client.held: after renewal * {delete-transition|ignore|drop-target|drop-send}',
    'client.held: after renewal * request drop-action',
  ),
  ...because(
    'Two nodes do not reach it; three nodes that contend have 941,259 states, with messages of one second',
    'client.{idle|held}: inquire *',
    'client.waiting: inquire #2 *',
    'client.waiting: refused #1 {ignore|drop-target|to *}',
    'client.waiting: refused #1 {stopStopwatches|takeBallot|nextRound|startStopwatch|request}*',
  ),
};

/** The mutants of the client and of its two further timers; the other regions are as without. */
const keeping: Mutants[string] = {
  systems: () => [
    { topology: complete(2), budget: { initiators: ['a'], commands: 2, time } },
    { topology: complete(2), budget: { initiators: ['a'], commands: 2, losses: 1, time } },
    { topology: complete(2), budget: { commands: 2, inputs: [{ type: 'acquire' }], time: points } },
    {
      topology: complete(2),
      budget: { initiators: ['b'], losses: 1, duplications: 1, time: long },
    },
    { topology: complete(2), budget: { losses: 1, time: points } },
  ],
  parts: ['even', 'odd', 'voter'],
  reasons: {
    ...because(
      'A client may skip a ballot of its own',
      'client.idle: acquire takeBallot duplicate-action',
      'client.waiting: inquire #1 takeBallot duplicate-action',
    ),
    ...because(
      'A client that requests nothing reads neither its votes nor its entries; the next request starts anew',
      'client.*: * {forgetVotes|forgetEntries} drop-action',
    ),
    ...because(
      'Votes may be renewed less often, later or at fewer voters, as far as no renewal comes too late: the lock is lost, or the votes go back, earlier',
      'client.held: renew {delete-transition|ignore}',
      'client.held: renew #1 {delete-transition|ignore|request drop-*}',
      'client.held: renew #2 {delete-transition|ignore|request drop-send}',
      'client.keeping: renew {delete-transition|ignore|#1 ignore|#1 drop-guard}',
      'client.keeping: renew #2 {delete-transition|ignore|request drop-*}',
      'renewals.off: always {drop-always|drop-target}',
      'renewals.running: after renewal {drop-timer|ignore|drop-target|renew drop-action}',
    ),
    ...because(
      'A timer that runs on ends or is started anew with the next votes; until then its events are ignored',
      'renewals.running: stopped *',
      'tenure.{running|over}: stopped *',
    ),
    ...because(
      'Without an end of `keep`, rounds count up for ever: the rules are tested by themselves',
      'tenure.off: always *',
      'tenure.running: after keep *',
    ),
    ...because('The search reached its limit of states', 'inconclusive'),
    ...because('No explored system of two nodes reaches it', 'unreached'),
    ...because(
      'Not explained yet: on these systems no property tells it from the protocol',
      'survived',
    ),
  },
};

export const mutants: Mutants = {
  'lease=5000 renewal=2000': {
    instead: true,
    systems,
    reasons: {
      ...inBothRows,
      ...because(
        'A holder may renew less often, later or at fewer voters, as far as no renewal comes too late: it loses the lock earlier, with notice',
        'client.held: after renewal drop-timer',
      ),
      ...because(
        'Not explained yet: on these systems no property tells it from the protocol',
        'survived',
      ),
    },
  },
  'lease=5000 renewal=2000 keep=3000': keeping,
  'cancel=true': {
    systems: () => [
      { topology: complete(2), budget: { initiators: ['b'], commands: 2, time } },
      { topology: complete(3), budget: { initiators: ['b'], losses: 1, time } },
      { topology: complete(2), budget: { time: instant } },
    ],
    parts: ['even', 'odd', 'voter'],
    reasons: {
      ...inBothRows,
      ...because(
        'The row without `cancel` kills the same mutant',
        'client.waiting: inquire #1 request drop-send',
        'client.waiting: after renewal {drop-timer|ignore|nextRound drop-action}',
        'client.held: always {drop-always|drop-target|to client.waiting retarget}',
        'client.held: always reportLoss {drop|duplicate}-action',
        'client.held: always returnVotes {drop|duplicate}-*',
        'client.held: always {noteExit|stopStopwatches} drop-action',
        'client.held: after renewal #1 {*-guard|nextRound*|startStopwatch drop-action}',
        'client.held: after renewal * {to client.idle retarget|request duplicate-*}',
      ),
      ...because(
        'Not explained yet: on these systems no property tells it from the protocol',
        'survived',
      ),
      ...because('No explored system reaches it', 'unreached'),
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
