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
    revoke = false,
    greedy = 0,
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
  const other = keep !== undefined ? 'keep' : revoke ? 'revoke' : undefined;
  if (other && servers !== undefined)
    throw new ConclaveError(
      'bad-input',
      `leasedMajority: ${other} and servers do not go together yet`,
      'Leave out one of them.',
    );
  if (greedy > 0 && (keep === undefined || revoke))
    throw new ConclaveError(
      'bad-input',
      `leasedMajority: greedy is ${greedy}, ${revoke ? 'and revoke and greedy do not go together yet' : 'and the node keeps no votes to enter again with'}`,
      revoke ? 'Leave out one of them.' : 'Give keep, too.',
    );
  return { lease, drift, renewal, validity, keep, greedy, revoke, servers, cancel };
}

/**
 * A vote binds its voter for at least lease · (1 − drift). A client counts it for at most validity
 * · (1 + drift), from an earlier moment on. So validity is the largest multiple of `renewal` that
 * is less than lease · (1 − drift) / (1 + drift).
 */
const validityOf = (lease: number, drift: number, renewal: number): number =>
  (Math.ceil((lease * (1 - drift)) / (1 + drift) / renewal) - 1) * renewal;
