/** docs/study/README.md: each chapter, and what is in it. */
import { slugger } from '../slugs.mjs';

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
    'What the lecture on distributed algorithms measures, claims and asks, computed with the machines of the catalogue: its tables measured again, its table of faults derived, its open questions answered.',
    `\`npm run study\` writes all pages and pictures again, from the seed ${seed}; \`npm run study -- --quick\` small ones, in less than a minute, to \`reports/study\`; \`npm run study -- --only ${names[0]}\` one chapter. The same seed gives the same bytes.`,
    ...entries,
  ].join('\n\n')}\n`;
}
