/** The arguments of `npm run study`. */
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { chapterNames } from './chapters.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const usage =
  'Usage: npm run study -- [--only CHAPTER,…] [--quick] [--out DIR] [--seed N] [--workers N] [--shard I/N | --merge FILE…]';

const known = {
  only: { type: 'string' },
  quick: { type: 'boolean', default: false },
  out: { type: 'string' },
  seed: { type: 'string', default: '1' },
  workers: { type: 'string', default: String(Math.min(2, availableParallelism())) },
  shard: { type: 'string' },
  merge: { type: 'boolean', default: false },
};

/** Ends the process where they are wrong. */
export function studyOptions() {
  try {
    const { values, positionals } = parseArgs({ options: known, allowPositionals: true });
    return { ...computedOf(values), ...places(values, positionals) };
  } catch (error) {
    console.error(`${error.message}.\n${usage}`);
    return process.exit(2);
  }
}

function computedOf({ seed, workers, only: given, quick }) {
  if (!/^\d+$/.test(seed)) throw new Error(`--seed ${seed} is not a whole number`);
  if (!/^[1-9]\d*$/.test(workers))
    throw new Error(`--workers ${workers} is not a number of chapters`);
  const only = given?.split(',') ?? chapterNames;
  const unknown = only.find((name) => !chapterNames.includes(name));
  if (unknown !== undefined)
    throw new Error(`There is no chapter '${unknown}': there are ${chapterNames.join(', ')}`);
  return { only, quick, seed: Number(seed), workers: Number(workers) };
}

/** Where it is computed, and written. */
function places({ shard: given, merge, out }, files) {
  const [, index, of] = /^([1-9]\d{0,5})\/([1-9]\d{0,5})$/.exec(given ?? '1/1') ?? [];
  if (of === undefined || Number(index) > Number(of))
    throw new Error(`--shard ${given} is not one of several, such as 2/8`);
  if (merge && given !== undefined)
    throw new Error('--shard computes one part, and --merge joins all');
  if (merge && files.length === 0) throw new Error('--merge needs the files of all shards');
  if (!merge && files.length > 0) throw new Error(`'${files[0]}' is no option`);
  const shard = given === undefined ? undefined : { index: Number(index), of: Number(of) };
  return { out, shard, merge: merge ? files : undefined };
}

/** Where it is written: in the documentation, or, where that would be wrong, among the reports. */
export const folderOf = (out, { quick, shard }) =>
  resolve(out ?? join(root, quick || shard ? 'reports/study' : 'docs/study'));
