/** A Markdown file, read: its tokens, and its headings with their anchors. */
import MarkdownIt from 'markdown-it';
import { SiteProblem } from './problem.mjs';
import { slugger } from './slugs.mjs';

/** GitHub's Markdown: tables, HTML, bare addresses as links. `README.md` is no address. */
export const markdown = new MarkdownIt({ html: true, linkify: true });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/**
 * @typedef Heading
 * @property {number} level 1 to 6
 * @property {string} text without markup
 * @property {string} slug the anchor
 * @property {number} index of its first token
 * @property {boolean} isFolded it is in a part that a reader opens
 */

/** @param {string} path from the root of the repository */
export function read(path, text) {
  const tokens = markdown.parse(text, {});
  const headings = headingsOf(tokens);
  const [first] = headings;
  if (first?.level !== 1)
    throw new SiteProblem(`${path}:1: the page has no title: begin it with a line like '# Title'`);
  return {
    path,
    lines: text.split('\n'),
    tokens,
    headings,
    title: first.text,
  };
}

function headingsOf(tokens) {
  const slug = slugger();
  const headings = [];
  let folds = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'html_block')
      folds += count(token.content, '<details') - count(token.content, '</details');
    if (token.type !== 'heading_open') continue;
    const text = textOf(tokens[index + 1]);
    const heading = {
      level: Number(token.tag.slice(1)),
      text,
      slug: slug(text),
      index,
      isFolded: folds > 0,
    };
    token.attrSet('id', heading.slug);
    headings.push(heading);
  }
  return headings;
}

const count = (text, part) => text.split(part).length - 1;

/** The words of an inline token, without markup. */
export const textOf = ({ children }) =>
  children
    .map(({ type, content }) =>
      type === 'text' || type === 'code_inline' ? content : type === 'softbreak' ? ' ' : '',
    )
    .join('');
