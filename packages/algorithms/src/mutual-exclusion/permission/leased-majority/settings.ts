import { ConclaveError } from '@conclave/core/protocol';
import { validOptions } from '../../../options.js';
import { leasedMajorityOptions, type Options } from './options.js';

/**
 * The options with their defaults, and what follows from them.
 *
 * @throws {ConclaveError} `bad-input`, as `leasedMajority` does.
 */
export function settingsOf(options: Options) {
  const {
    lease = 10_000,
    drift = 0.01,
    renewal = lease / 5,
    keep,
    greedy = 0,
    priority = false,
    revoke = false,
    servers,
    cancel = false,
  } = validOptions('leasedMajority', leasedMajorityOptions, options);
  const validity = validityOf(lease, drift, renewal);
  if (validity < 2 * renewal)
    throw new ConclaveError(
      'bad-input',
      `leasedMajority: a lease of ${lease} ms is too short for two renewals, ${renewal} ms each, with a drift of ${drift}`,
      'Give a longer lease, or renew more often.',
    );
  const [other] = Object.entries({ keep: keep !== undefined, priority, revoke })
    .filter(([, isGiven]) => isGiven)
    .map(([name]) => name);
  if (other && servers !== undefined)
    throw new ConclaveError(
      'bad-input',
      `leasedMajority: ${other} and servers do not go together yet`,
      'Leave out one of them.',
    );
  if (greedy > 0 && keep === undefined)
    throw new ConclaveError(
      'bad-input',
      `leasedMajority: greedy is ${greedy}, and the node keeps no votes to enter again with`,
      'Give keep, too.',
    );
  if (greedy > 0 && (priority || revoke))
    throw new ConclaveError(
      'bad-input',
      `leasedMajority: ${priority ? 'priority' : 'revoke'} and greedy do not go together yet`,
      'Leave out one of them.',
    );
  return { lease, drift, renewal, validity, keep, greedy, priority, revoke, servers, cancel };
}

/**
 * A vote binds its voter for at least lease · (1 − drift). A client counts it for at most validity
 * · (1 + drift), from an earlier moment on. So validity is the largest multiple of `renewal` that
 * is less than lease · (1 − drift) / (1 + drift).
 */
const validityOf = (lease: number, drift: number, renewal: number): number =>
  (Math.ceil((lease * (1 - drift)) / (1 + drift) / renewal) - 1) * renewal;
