/** One of several equal parts of the study, which another machine may compute. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deserialize, serialize } from 'node:v8';
import {
  identityDifference,
  identityOf,
  parsePart,
  partText,
  requireWhole,
} from '../../packages/cli/dist/shards/part.js';

/** Results hold maps, infinities and big integers, which JSON does not. */
const textOf = (results) => serialize(results).toString('base64');
const resultsOf = (text) => deserialize(Buffer.from(text, 'base64'));

/**
 * The places of each chapter's jobs that are of shard `index` of `of`: every so many of all jobs, since
 * neighbours take as long as each other.
 *
 * @returns {ReadonlyMap<string, readonly number[]>} by the name of the chapter
 */
export function placesOf(chapters, given, { index, of }) {
  let before = 0;
  return new Map(
    chapters.map(({ name, jobs }) => {
      const { length } = jobs(given);
      const first = before;
      before += length;
      const places = Array.from({ length }, (_, place) => place);
      return [name, places.filter((place) => (first + place) % of === index - 1)];
    }),
  );
}

/** What the study is computed from, beside the packages. */
function sources() {
  const hash = createHash('sha256');
  const folder = fileURLToPath(new URL('..', import.meta.url));
  for (const part of ['algorithm', 'study'])
    for (const name of readdirSync(join(folder, part), {
      recursive: true,
      encoding: 'utf8',
    }).sort())
      if (name.endsWith('.mjs'))
        hash.update(`${part} ${name}\n`).update(readFileSync(join(folder, part, name)));
  return hash.digest('hex').slice(0, 16);
}

const commandOf = ({ only, quick, seed }) => [
  ...['study', '--only', only.join(','), '--seed', String(seed)],
  ...(quick ? ['--quick'] : []),
];

const identity = async (command) => ({
  ...(await identityOf(command, { name: 'study' })),
  sources: sources(),
});

/**
 * What a shard has found, as a text.
 *
 * @param {ReadonlyMap<string, readonly unknown[]>} results by the name of the chapter
 */
export const shardText = async (shard, options, results) =>
  partText({
    shard,
    identity: await identity(commandOf(options)),
    found: Object.fromEntries([...results].map(([name, found]) => [name, textOf(found)])),
  });

/**
 * All results of all shards, by the name of the chapter, and the options of the study.
 *
 * @throws where they are not all shards of one study, of these sources and versions.
 */
export async function mergedShards(paths, allChapters) {
  const parts = requireWhole(
    paths.map((name) => ({ ...parsePart(readFileSync(name, 'utf8'), name), name })),
  );
  const [{ identity: found }] = parts;
  const [, , only, , seed, quick] = found.command;
  const options = { only: only.split(','), quick: quick !== undefined, seed: Number(seed) };
  const differs = identityDifference(found, await identity(commandOf(options)));
  if (differs !== undefined) throw new Error(`The shards were run elsewhere: ${differs}`);
  const chapters = allChapters.filter(({ name }) => options.only.includes(name));
  const results = new Map(chapters.map(({ name }) => [name, []]));
  for (const { shard, found: texts } of parts)
    for (const [name, places] of placesOf(chapters, options, shard)) {
      const own = resultsOf(texts[name]);
      for (const [index, place] of places.entries()) results.get(name)[place] = own[index];
    }
  return { options, results };
}
