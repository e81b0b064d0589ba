/**
 * The chapters of the study: each file in the folder `chapters` is one.
 *
 * As a process it computes one of them, or its part of a shard: the argument is JSON of its name, the
 * seed, whether it is `quick`, and of a shard which places are its own.
 */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { slugger } from '../slugs.mjs';

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

// docs/study/README.md: each chapter, and what is in it.

/** The sections of a page, and the pages to which it links, but those of chapters. */
function partsOf(name, markdown, names) {
  const slug = slugger();
  const headings = [...markdown.replace(/^```[\s\S]*?^```/gm, '').matchAll(/^(#+) (.+)$/gm)].map(
    ([, level, text]) => ({ level: level.length, text: plain(text), anchor: slug(plain(text)) }),
  );
  const links = [...markdown.matchAll(/\[([^\]]+)\]\(([\w-]+\.md)\)/g)]
    .filter(([, , file]) => file !== 'README.md' && !names.includes(file.replace('.md', '')))
    .map(([, text, file]) => `[${plain(text)}](${file})`);
  const sections = headings
    .filter(({ level }) => level === 2)
    .map(({ text, anchor }) => `[${text}](${name}.md#${anchor})`);
  return [...sections, ...new Set(links)];
}

/** A heading without the marks of code and links. */
const plain = (text) =>
  text
    .replace(/`/g, '')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .trim();

/**
 * @param {readonly import('./chapters.mjs').Chapter[]} chapters
 * @param {(name: string) => string | undefined} pageOf the page of a chapter, where there is one
 */
export function indexPage(chapters, pageOf, seed) {
  const names = chapters.map(({ name }) => name);
  const written = chapters.filter(({ name }) => pageOf(name) !== undefined);
  const entries = written.map(({ name, title, about }) => {
    const parts = partsOf(name, pageOf(name), names).map((part) => `- ${part}`);
    return [`## [${title}](${name}.md)`, ...(about ? [about] : []), parts.join('\n')]
      .filter((part) => part !== '')
      .join('\n\n');
  });
  return `${[
    '# The study',
    'With the machines of the catalogue, these pages measure the tables of the lecture on distributed algorithms again, derive its table of faults, and answer its open questions.',
    `\`npm run study\` writes all pages and pictures again, from the seed ${seed}; \`npm run study -- --quick\` writes small pages, in less than a minute, to \`reports/study\`; \`npm run study -- --only ${names[0]}\` writes one chapter. The same seed gives the same bytes.`,
    ...entries,
  ].join('\n\n')}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
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
}
