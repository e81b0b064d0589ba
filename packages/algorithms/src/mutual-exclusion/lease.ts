/** How long a lease counts for the one that has it, and how short it may be: A19 and A21. */
import { ConclaveError } from '@conclave/core/protocol';

/**
 * Who gives a lease keeps it for at least lease · (1 − drift). Who has it counts it for at most
 * validity · (1 + drift), from an earlier moment on. So validity is the largest multiple of
 * `renewal` that is less than lease · (1 − drift) / (1 + drift).
 *
 * @throws {ConclaveError} `bad-input` where two renewals do not fit into it.
 */
export function validityOf(
  who: string,
  { lease, drift, renewal }: Readonly<Record<'lease' | 'drift' | 'renewal', number>>,
): number {
  const validity = (Math.ceil((lease * (1 - drift)) / (1 + drift) / renewal) - 1) * renewal;
  if (validity >= 2 * renewal) return validity;
  throw new ConclaveError(
    'bad-input',
    `${who}: a lease of ${lease} ms is too short for two renewals, ${renewal} ms each, with a drift of ${drift}`,
    'Give a longer lease, or renew more often.',
  );
}

/**
 * In real time a timer may end 1 ms early, which must be within the drift. No clock is better than
 * the least drift that there is.
 */
export const shortestLease = (drift: number): number => 1 / Math.max(drift, 1e-6);
