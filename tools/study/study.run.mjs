/**
 * Computes one chapter, or its part of a shard, in a process of its own: the argument is JSON of its
 * name, the seed, whether it is `quick`, and of a shard which places are its own.
 */
import { chapterOf } from './chapters.mjs';

const { name, seed, quick, places } = JSON.parse(process.argv[2]);
const chapter = await chapterOf(name);
const jobs = chapter.jobs({ quick, seed });
const chosen = places ?? jobs.map((_, place) => place);
const results = [];
for (const [done, place] of chosen.entries()) {
  const { label, compute } = jobs[place];
  process.send({ progress: { done, total: chosen.length, label } });
  results.push(await compute());
}
const result = places ? { results } : await chapter.page(results, { quick, seed });
process.send({ result }, () => process.disconnect());
