/** The chapters of the study: each file in the folder `chapters` is one. */
import { readdirSync } from 'node:fs';

const folder = new URL('chapters/', import.meta.url);

/**
 * @typedef Chapter
 * @property {string} name of its page, and at the beginning of the names of its files
 * @property {string} title
 * @property {string} [about] a sentence for the index
 * @property {number} [place] in the index; those without one come last, by their names
 * @property {(given: { quick: boolean, seed: number }) => readonly { label?: string, compute: () =>
 * unknown }[]} jobs independent of each other, since other machines may compute some; each gives data
 * without functions
 * @property {(results: readonly unknown[], given: { quick: boolean, seed: number }) => { markdown:
 * string, files?: Record<string, string> }} page from the results of all jobs. `markdown`: the page
 * without its heading. `files`: pictures, and pages to which it links, by name
 * @property {(given: { seed: number }) => readonly string[] | Promise<readonly string[]>} [sample]
 * how some lines of its page begin, computed in a moment: the tests look for them there
 */

export const chapterNames = readdirSync(folder)
  .flatMap((name) => /^([a-z-]+)\.mjs$/.exec(name)?.[1] ?? [])
  .sort();

/** @returns {Promise<Chapter>} */
export async function chapterOf(name) {
  const { chapter } = await import(new URL(`${name}.mjs`, folder).href);
  if (chapter.name !== name)
    throw new Error(`tools/study/chapters/${name}.mjs is a chapter named '${chapter.name}'.`);
  return chapter;
}

/** All chapters in the order of the index. */
export async function allChapters() {
  const chapters = await Promise.all(chapterNames.map(chapterOf));
  const placeOf = ({ place = Number.POSITIVE_INFINITY }) => place;
  return chapters.toSorted((a, b) =>
    placeOf(a) < placeOf(b) ? -1 : placeOf(a) > placeOf(b) ? 1 : 0,
  );
}

/** The page of a chapter. @param {Chapter} chapter */
export const chapterPage = ({ name, title }, markdown, seed) =>
  [
    `# ${title}`,
    markdown.trim(),
    `Computed by \`npm run study -- --only ${name}${seed === 1 ? '' : ` --seed ${seed}`}\`. [All chapters](README.md).`,
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
