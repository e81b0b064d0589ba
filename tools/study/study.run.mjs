/** Computes one chapter in a process of its own: arguments are its name, the seed, and `quick`. */
import { chapterOf } from './chapters.mjs';

const [name, seed, size] = process.argv.slice(2);
const chapter = await chapterOf(name);
const progress = (done, total, label) => process.send({ progress: { done, total, label } });
const { markdown, files = {} } = await chapter.run({
  quick: size === 'quick',
  seed: Number(seed),
  progress,
});
process.send({ result: { markdown, files } }, () => process.disconnect());
