import type { Json, Protocol } from '@conclave/core/protocol';
import * as entries from './entries.js';
import { type Entry, entryNamed, noSuchAlgorithm } from './entry.js';

/** A2 before A10, A3 before A3b. */
const place = (id: string) => id.replace(/\d+/, (number) => number.padStart(3, '0'));

/** Every algorithm of this package, in the order of their ids. */
export const catalogue: readonly Entry[] = Object.entries(entries)
  .sort(([a], [b]) => (place(a) < place(b) ? -1 : 1))
  .map(([, entry]) => (typeof entry === 'function' ? entry(protocolOf) : entry));

/**
 * The catalogue's protocol of this id (`A3`) or name (`ricart-agrawala`), in any case.
 *
 * @throws {ConclaveError} `bad-input` for one there is none of, or an option it does not have.
 */
export function protocolOf(
  idOrName: string,
  options: Readonly<Record<string, Json>> = {},
): Protocol {
  const entry = entryNamed(catalogue, idOrName);
  if (!entry) throw noSuchAlgorithm(catalogue, idOrName);
  return entry.make(options);
}
