/** What the search looks through: each section of each page. */
import { textOf } from './document.mjs';

/** Longer sections are cut: those are tables of hundreds of rows. */
const mostCharacters = 1500;

/** @returns {readonly (readonly [url: string, page: string, heading: string, text: string])[]} */
export function searchIndex(pages) {
  return pages.flatMap((page) =>
    sectionsOf(page).map(({ heading, text }) => [
      heading ? `${page.url}#${heading.slug}` : page.url,
      page.title,
      heading?.text ?? '',
      text.replace(/\s+/g, ' ').trim().slice(0, mostCharacters),
    ]),
  );
}

function sectionsOf({ tokens, headings }) {
  const starts = new Map(
    headings.filter(({ level }) => level > 1).map((heading) => [heading.slug, heading]),
  );
  const sections = [{ text: '' }];
  for (const [index, token] of tokens.entries()) {
    const heading = token.type === 'heading_open' && starts.get(token.attrGet('id'));
    if (heading) sections.push({ heading, text: '' });
    else if (token.type === 'inline' && tokens[index - 1].type !== 'heading_open')
      sections.at(-1).text += ` ${textOf(token)}`;
    else if (token.type === 'fence' && token.info.trim() !== 'mermaid')
      sections.at(-1).text += ` ${token.content}`;
  }
  return sections;
}
