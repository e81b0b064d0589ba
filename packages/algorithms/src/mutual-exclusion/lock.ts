import { embed, surroundingsOf } from '@conclave/core/embedding';
import { checkOptions, schemas } from '@conclave/core/options';
import { type Command, ConclaveError, type Json, type Protocol } from '@conclave/core/protocol';
import { Subject } from 'rxjs';
import { Delays } from '../facade/delays.js';
import { errorForUser } from '../facade/error-for-user.js';
import { Connections } from '../facade/health.js';
import { withReports } from '../facade/reporting-transport.js';
import { timeOf } from '../facade/time-of.js';
import { NodeLock } from './lock-node.js';
import type { LockTelemetry } from './lock-telemetry.js';
import { requireTolerance, type Tolerance, tolerances } from './lock-tolerance.js';
import type { Lock, LockLogger } from './lock-types.js';

type EmbedOptions = Parameters<typeof embed>[1];

/**
 * As for `embed`: the node, the other nodes, how it reaches them, its stable storage and its
 * journal.
 */
export type LockOptions = EmbedOptions & {
  /**
   * The fields of the protocol's `acquire`, where it has any:
   * `{ interval: { from: 628, to: 737 } }`.
   */
  readonly claim?: Readonly<Record<string, Json>>;
  /**
   * For a protocol that assumes a network which reports crashes, such as `groupLock()`: reports a
   * node that is silent, such as `heartbeat({ period, timeout })`, over the same transport. All
   * nodes must give one. Its time-out must be longer than any silence of a live node: a node that
   * is suspected by mistake may be in its critical section while the others admit another one. When
   * it learns of it, its lock ends with the error `lost`.
   */
  readonly detector?: Protocol;
  /**
   * How long `close` waits at most until the node neither has nor waits for the lock, in
   * milliseconds. Default 1000.
   */
  readonly leaveWithin?: number;
  /** Its name in log lines and telemetry. */
  readonly name?: string;
  /**
   * Gets a line at debug level for each change of the node's state, and each loss: `console`, or a
   * logger of pino.
   */
  readonly logger?: LockLogger;
  /** Such as `openTelemetry()`, from `@conclave/algorithms/opentelemetry`. */
  readonly telemetry?: LockTelemetry;
};

/** The options of a lock whose protocol is given: `tolerate` requires it of the protocol. */
export type ProtocolLockOptions = LockOptions & { readonly tolerate?: Tolerance };

/**
 * A lock among several programs by the given protocol, and without the protocols that `lock` of
 * `@conclave/algorithms` chooses from: otherwise the same.
 *
 * @throws {ConclaveError} `bad-input` for a protocol of another problem; and as `embed`.
 * @example await using counter = lock(leasedMajority(), { self: 'a', peers: ['b', 'c'], transport
 * });
 */
export function lock(protocol: Protocol, options: ProtocolLockOptions): Lock {
  return lockOf(protocol, options);
}

/** The same, for `locks`. @param connections of all locks on the transport */
export function lockOf(
  protocol: Protocol,
  options: ProtocolLockOptions,
  connections?: Connections,
): NodeLock {
  checkOptions('lock', schemas.protocolGiven, { protocol });
  checkOptions('lock', lockOptions, options);
  requireLock(protocol);
  const {
    claim = {},
    detector,
    tolerate,
    leaveWithin = 1000,
    name,
    logger,
    telemetry,
    ...embedding
  } = options;
  if (tolerate) requireTolerance(protocol, tolerate);
  const acquire: Command = { ...claim, type: 'acquire' };
  requireClaim(protocol, claim);
  const { onError = console.error } = options;
  const known = connections ?? new Connections(options.transport);
  const delays = new Delays(protocol, surroundingsOf(options.self, options), known);
  let made: NodeLock | undefined;
  const report = (error: ConclaveError) => {
    made?.heard(error);
    onError(errorForUser(error, protocol, 'lock'));
  };
  const { clock } = options;
  const reported = new Subject<void>();
  const surroundings = {
    onReported: () => reported.next(),
    onError: (error: ConclaveError) => onError(errorForUser(error, detector ?? protocol, 'lock')),
  };
  const node = withReports(protocol, embedding, detector, surroundings, (watched) =>
    embed(protocol, { ...watched, onError: report }),
  );
  known.follow(node.admitted);
  const now = timeOf(clock);
  const lock = new NodeLock({
    protocol,
    node,
    delays,
    acquire,
    clock: clock ?? globalThis,
    now,
    report,
    leaveWithin,
    name,
    logger,
    telemetry,
  });
  made = lock;
  reported.subscribe(() => lock.exclude());
  return lock;
}

const { optional, optionsOf } = schemas;
const entries = {
  ...schemas.embedEntries,
  claim: optional(schemas.fields),
  detector: optional(schemas.protocol),
  leaveWithin: optional(schemas.upTo(2 ** 31 - 1, 'milliseconds')),
  name: optional(schemas.text),
  logger: optional(schemas.logger),
  telemetry: optional(schemas.telemetry),
};
const tolerate = schemas.oneOf(tolerances);
const lockOptions = optionsOf<ProtocolLockOptions>({ ...entries, tolerate: optional(tolerate) });
const choosingOptions = optionsOf<ProtocolLockOptions>({ ...entries, tolerate });

/**
 * @throws {ConclaveError} `bad-input` for options that no lock has, or without `tolerate`, by which
 * a lock chooses its protocol.
 */
export const checkChoosingOptions = (options: unknown): void =>
  checkOptions('lock', choosingOptions, options);

const problems = ['mutual-exclusion', 'local-exclusion'];

/** @throws {ConclaveError} `bad-input` for a protocol of another problem. */
function requireLock({ title, problem }: Protocol): void {
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
