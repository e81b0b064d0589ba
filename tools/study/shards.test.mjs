/** `npm run study -- --shard` and `--merge`. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { mergedShards, placesOf, shardText } from './shards.mjs';

const jobs = (count) => () => Array.from({ length: count }, () => ({ compute: () => 0 }));
const chapters = [
  { name: 'one', jobs: jobs(4) },
  { name: 'two', jobs: jobs(1) },
  { name: 'three', jobs: jobs(6) },
];
const options = { only: ['one', 'two', 'three'], quick: true, seed: 7 };
const temporary = () => mkdtempSync(join(tmpdir(), 'study-'));

/** What JSON would change, and which job gave it. */
const resultOf = (name, place) => ({
  name,
  place,
  map: new Map([[1n, Infinity]]),
  none: undefined,
});

async function written(of, given = options) {
  const folder = temporary();
  return Promise.all(
    Array.from({ length: of }, async (_, place) => {
      const shard = { index: place + 1, of };
      const found = new Map(
        [...placesOf(chapters, given, shard)].map(([name, places]) => [
          name,
          places.map((place) => resultOf(name, place)),
        ]),
      );
      const path = join(folder, `${place}.json`);
      writeFileSync(path, await shardText(shard, given, found));
      return path;
    }),
  );
}

describe('shards of the study', () => {
  it('have each job once, and neighbours apart', () => {
    const all = [1, 2, 3].map((index) => placesOf(chapters, options, { index, of: 3 }));
    for (const { name, jobs } of chapters) {
      const places = all.flatMap((shard) => shard.get(name)).sort((a, b) => a - b);
      expect(places).toEqual(jobs().map((_, place) => place));
    }
    const sizes = all.map((shard) => [...shard.values()].flat().length);
    expect(sizes).toEqual([4, 4, 3]);
  });

  it('give all results in their order', async () => {
    const [first, ...others] = await written(3);
    const { options: merged, results } = await mergedShards([...others, first], chapters);
    expect(merged).toEqual(options);
    for (const { name, jobs } of chapters)
      expect(results.get(name)).toEqual(jobs().map((_, place) => resultOf(name, place)));
  });

  it('are refused where one is missing, or of another seed', async () => {
    const [first, second] = await written(2);
    const [other] = await written(2, { ...options, seed: 8 });
    await expect(mergedShards([first], chapters)).rejects.toThrow('1 shard of 2 is missing: 2.');
    await expect(mergedShards([other, second], chapters)).rejects.toThrow(
      "command line 'study --only one,two,three --seed 7 --quick' instead of 'study --only one,two,three --seed 8 --quick'",
    );
  });

  proof('make the pages of one process', () => {
    const [whole, parts, merged] = [temporary(), temporary(), temporary()];
    const script = fileURLToPath(new URL('study.mjs', import.meta.url));
    const { VITEST: _, ...env } = process.env; // with it, modules of the sources are loaded
    const study = (...args) => execFileSync(process.execPath, [script, ...args], { env });
    const some = ['--only', 'records', '--quick'];
    study(...some, '--out', whole);
    for (const shard of ['1/2', '2/2']) study(...some, '--shard', shard, '--out', parts);
    study('--merge', ...readdirSync(parts).map((name) => join(parts, name)), '--out', merged);
    const bytesIn = (folder) =>
      Object.fromEntries(
        readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]),
      );
    expect(Object.keys(bytesIn(whole)).length).toBeGreaterThan(2);
    expect(bytesIn(merged)).toEqual(bytesIn(whole));
  });
});
