/** Unstable: for the packages of this house only, of the same version. */
import { type Entry, entryNamed, noSuchAlgorithm } from '../entry.js';
import { modules } from '../loaders.js';

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
