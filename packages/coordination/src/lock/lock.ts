import { embed } from '@conclave/core/embedding';
import { checkOptions, nodesAccepting, printError, schemas } from '@conclave/core/internal';
import { surroundingsOf } from '@conclave/core/internal/embedding';
import {
  type Command,
  ConclaveError,
  type FencedProtocol,
  type Json,
  type Protocol,
} from '@conclave/core/protocol';
import { Subject } from 'rxjs';
import { errorForUser } from '../error-for-user.js';
import { Connections, Delays } from '../health.js';
import { withReports } from '../reporting-transport.js';
import { timeOf } from '../waits.js';
import { NodeLock } from './lock-node.js';
import type { Lock, LockOptions } from './lock-types.js';
import { withReentrance } from './reentrant-lock.js';

export type Tolerance = 'none' | 'crash';
export const tolerances: readonly Tolerance[] = ['none', 'crash'];

/** @throws {ConclaveError} `bad-input` where `protocol` does not tolerate crashes. */
export function requireTolerance({ title, tolerates = [] }: Protocol, tolerate: Tolerance): void {
  if (tolerate === 'crash' && !tolerates.includes('crash'))
    throw new ConclaveError(
      'bad-input',
      `${title} does not tolerate crashes, and the lock must: tolerate is 'crash'`,
      'Leave out the protocol, and lock chooses one; or leave out tolerate.',
    );
}

/**
 * A lock among several programs by the given protocol, and without the protocols that `lock` of
 * `@conclave/algorithms` chooses from: otherwise the same.
 *
 * @throws {ConclaveError} `bad-input` for a protocol of another problem; and as `embed`.
 * @example await using counter = lock(leasedMajority(), { self: 'a', peers: ['b', 'c'], transport
 * });
 */
export function lock(protocol: FencedProtocol, options: LockOptions): Lock<number>;
export function lock(protocol: Protocol, options: LockOptions): Lock;
export function lock(protocol: Protocol, options: LockOptions): Lock {
  return withReentrance(lockOf(protocol, options), options);
}

/**
 * The same, for `locks` and `semaphore`.
 *
 * @param connections of all locks on the transport
 * @param problems which the protocol may solve
 */
export function lockOf(
  protocol: Protocol,
  options: LockOptions,
  connections?: Connections,
  problems: readonly string[] = exclusions,
): NodeLock {
  checkOptions('lock', schemas.protocolGiven, { protocol });
  checkOptions('lock', lockOptions, options);
  requireLock(protocol, problems);
  const {
    claim = {},
    detector,
    tolerate,
    leaveWithin = 1000,
    name,
    logger,
    telemetry,
    reentrant: _,
    voters,
    ...embedding
  } = options;
  if (tolerate) requireTolerance(protocol, tolerate);
  const acquire: Command = Object.freeze({ ...claim, type: 'acquire' });
  requireClaim(protocol, claim);
  requireVoters(protocol, voters);
  const { onError = printError } = options;
  const known = connections ?? new Connections(options.transport);
  const topology = surroundingsOf(options.self, options);
  const delays = new Delays(protocol, topology, known);
  let made: NodeLock | undefined;
  const report = (error: ConclaveError) => {
    made?.heard(error);
    onError(errorForUser(error, protocol, 'lock'));
  };
  const reported = new Subject<void>();
  const surroundings = {
    onReported: () => reported.next(),
    onError: (error: ConclaveError) => onError(errorForUser(error, detector ?? protocol, 'lock')),
  };
  const node = withReports(protocol, embedding, detector, surroundings, (watched) =>
    embed(protocol, { ...watched, onError: report }),
  );
  known.follow(node.admitted);
  const lock = new NodeLock({
    ...{ protocol, node, delays, acquire, report, leaveWithin, name, logger, telemetry },
    nodes: topology.nodes,
    requesters: nodesAccepting(protocol, topology, acquire.type),
    clock: options.clock ?? globalThis,
    now: timeOf(options.clock),
  });
  made = lock;
  reported.subscribe(() => lock.exclude());
  return lock;
}

const { optional, optionsOf } = schemas;
/** What locks and semaphores take, beside what `embed` does. */
export const sharedEntries = {
  leaveWithin: optional(schemas.upTo(2 ** 31 - 1, 'milliseconds')),
  name: optional(schemas.text),
  logger: optional(schemas.logger),
  telemetry: optional(schemas.telemetry),
  reentrant: optional(schemas.flag),
};
const entries = {
  ...schemas.embedEntries,
  claim: optional(schemas.fields),
  detector: optional(schemas.protocol),
  ...sharedEntries,
};
const tolerate = schemas.oneOf(tolerances);
const named = optional(schemas.nodeIds);
const lockOptions = optionsOf<Omit<LockOptions, 'turns'>>({
  ...entries,
  voters: named,
  tolerate: optional(tolerate),
});
const choosingOptions = optionsOf<LockOptions>({
  ...entries,
  voters: named,
  tolerate,
  turns: optional(schemas.flag),
});

/**
 * @throws {ConclaveError} `bad-input` for options that no lock has, or without `tolerate`, by which
 * a lock chooses its protocol.
 */
export const checkChoosingOptions = (options: unknown): void =>
  checkOptions('lock', choosingOptions, options);

const exclusions = ['mutual-exclusion', 'local-exclusion'];

/** @throws {ConclaveError} `bad-input` for a protocol of another problem. */
function requireLock({ title, problem }: Protocol, problems: readonly string[]): void {
  if (!problems.includes(problem))
    throw new ConclaveError(
      'bad-input',
      `${title} solves '${problem}'; a lock needs a protocol for '${problems.join("' or '")}'`,
      'Try ricartAgrawala or raymond().',
    );
}

/** @throws {ConclaveError} `bad-input` for a claim with other fields than `acquire` has. */
function requireClaim({ title, commands }: Protocol, claim: Readonly<Record<string, Json>>): void {
  const { fields = [] } = commands.acquire ?? {};
  const claimed = Object.keys(claim);
  if (claimed.length !== fields.length || fields.some((field) => !claimed.includes(field)))
    throw new ConclaveError(
      'bad-input',
      `The claim has (${claimed.join(', ')}), but acquire of ${title} takes (${fields.join(', ')})`,
      'Give claim exactly these fields.',
    );
}

/** @throws {ConclaveError} `bad-input` for voters beside a given protocol, which has its own. */
function requireVoters({ title, options }: Protocol, voters: LockOptions['voters']): void {
  if (voters && String(options?.voters) !== String(voters))
    throw new ConclaveError(
      'bad-input',
      `The lock is given voters, which ${title} does not know`,
      "Give them to the protocol, as in leasedMajority({ voters }); or give tolerate: 'crash' and no protocol.",
    );
}
