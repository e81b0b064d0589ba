/** An algorithm by id or name, loaded without the others: `@conclave/algorithms/load`. */
import type { Json, Protocol } from '@conclave/core/protocol';
import { loadEntry } from './internal/load.js';

/**
 * As `protocolOf`, without loading the other algorithms.
 *
 * @throws {ConclaveError} `bad-input` for an algorithm there is none of, or an option it does not
 * have.
 * @example const protocol = await loadProtocol('A7', { greedy: 2 });
 */
export async function loadProtocol(
  idOrName: string,
  options: Readonly<Record<string, Json>> = {},
): Promise<Protocol> {
  return (await loadEntry(idOrName)).make(options);
}
