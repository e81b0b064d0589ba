import { checkOptions, schemas } from '@conclave/core/internal/options';
import { ConclaveError, type FencedProtocol, type Protocol } from '@conclave/core/protocol';
import { requireTolerance, type Tolerance, tolerances } from './lock-tolerance.js';
import { NodeLocks } from './locks-node.js';
import type { Locks, LocksOptions } from './locks-types.js';

/** The protocol that tolerates this, and fits the network. */
type Choice = (tolerate: Tolerance, site: LocksOptions) => Protocol;

/**
 * Locks by name by the given protocol, and without the protocols that `locks` of
 * `@conclave/algorithms` chooses from: otherwise the same.
 *
 * @throws {ConclaveError} `bad-input` without a protocol; and as `lock`.
 * @example await using shop = locks({ protocol: leasedMajority(), self: 'a', peers: ['b', 'c'],
 * transport });
 */
export function locks(options: LocksOptions & { readonly protocol: FencedProtocol }): Locks<number>;
export function locks(options: LocksOptions & { readonly protocol: Protocol }): Locks;
export function locks(options: LocksOptions & { readonly protocol: Protocol }): Locks {
  return locksOf(options, noChoice);
}

function noChoice(): never {
  throw new ConclaveError(
    'bad-input',
    'locks has no protocol',
    'Give one; or import locks from @conclave/algorithms, which chooses one.',
  );
}

/** The same, where `choose` chooses a protocol. */
export function locksOf(options: LocksOptions, choose: Choice): Locks {
  checkOptions('locks', locksOptions, options);
  return new NodeLocks(options, protocolOf(options, choose));
}

const { optional, optionsOf } = schemas;
const { clients: _, ...embedEntries } = schemas.embedEntries;

const locksOptions = optionsOf<LocksOptions>({
  ...embedEntries,
  storage: optional(schemas.callback),
  journal: optional(schemas.callback),
  protocol: optional(schemas.protocol),
  tolerate: optional(schemas.oneOf(tolerances)),
  leaveWithin: optional(schemas.upTo(2 ** 31 - 1, 'milliseconds')),
  logger: optional(schemas.logger),
  telemetry: optional(schemas.telemetry),
  mostNames: optional(schemas.positive),
});

/**
 * @throws {ConclaveError} `bad-input`: none, one without tolerance, or one that needs a detector;
 * as `choose`.
 */
function protocolOf(options: LocksOptions, choose: Choice): Protocol {
  const { protocol, tolerate } = options;
  if (!protocol && !tolerate)
    throw new ConclaveError(
      'bad-input',
      'locks has neither a protocol nor tolerate',
      "Give tolerate: 'none' or 'crash'.",
    );
  if (!protocol) return choose(tolerate ?? 'none', options);
  if (tolerate) requireTolerance(protocol, tolerate);
  if (protocol.crashNotice !== undefined)
    throw new ConclaveError(
      'bad-input',
      `${protocol.title} needs a detector, and locks has none`,
      "Try tolerate: 'crash'.",
    );
  return protocol;
}
