/** Algorithms by id or name, each loaded without the others: `@conclave/algorithms/load`. */
import type { Json, Protocol } from '@conclave/core/protocol';
import { type Entry, entryNamed, noSuchAlgorithm } from './entry.js';
import { modules } from './loaders.js';

export type { Entry };

/** All algorithms, in the order of the catalogue. */
const loaders = Object.entries(modules).map(([key, load]) => {
  const [id = '', name = ''] = key.split(' ');
  return { id, name, load };
});

/**
 * The catalogue's entry of this id (`A3`) or name (`ricart-agrawala`), in any case. Only its
 * algorithm is loaded; for one whose parts may be any other algorithm, all are.
 *
 * @throws {ConclaveError} `bad-input` for one there is none of.
 */
export async function loadEntry(idOrName: string): Promise<Entry> {
  const loader = entryNamed(loaders, idOrName);
  if (!loader) throw noSuchAlgorithm(loaders, idOrName);
  const module = await loader.load();
  if ('entry' in module) return module.entry;
  const entry = entryNamed(module.catalogue, loader.id);
  if (!entry) throw noSuchAlgorithm(module.catalogue, loader.id);
  return entry;
}

/** Whether the catalogue has an algorithm of this id or name. */
export const isInCatalogue = (idOrName: string): boolean =>
  entryNamed(loaders, idOrName) !== undefined;

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
