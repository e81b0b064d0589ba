/** The text of a page as HTML. */
import { coloured, escaped } from './code.mjs';
import { markdown, textOf } from './document.mjs';

const { rules } = markdown.renderer;

/**
 * What the rules need is in `env`: the page, where its links lead, and the drawings of its charts.
 */
rules.link_open = (tokens, index, options, env, self) => {
  tokens[index].attrSet('href', env.targets.link(env.page, tokens[index].attrGet('href')));
  return self.renderToken(tokens, index, options);
};

rules.image = (tokens, index, _, env) => {
  const [source, text] = [tokens[index].attrGet('src'), textOf(tokens[index])];
  const src = env.targets.file(env.page, source);
  const isLinked = tokens[index - 1]?.type === 'link_open';
  return isLinked ? imageOf(src, text) : picture(src, text, env.targets.sizeOf(env.page, source));
};

const imageOf = (src, text, more = '') =>
  `<img src="${escaped(src)}" alt="${escaped(text)}"${more} loading="lazy">`;

/**
 * A drawing stays readable: it is made smaller only so far, then it scrolls, and it is a link to
 * itself.
 *
 * @param {readonly number[] | undefined} size width and height of a drawing
 */
export function picture(src, text, size, leastScale = 0.7) {
  const drawn = size
    ? ` width="${size[0]}" height="${size[1]}" style="min-width:${Math.round(leastScale * size[0])}px"`
    : '';
  return `<a class="picture" href="${escaped(src)}">${imageOf(src, text, drawn)}</a>`;
}

const comments = /<!--[\s\S]*?-->\n?/g;
const address = /\b(href|src|srcset)="([^"]*)"/g;

rules.html_block = (tokens, index, _, env) => rewritten(tokens[index].content, env);
rules.html_inline = rules.html_block;

const rewritten = (html, { page, targets }) =>
  html
    .replace(comments, '')
    .replace(
      address,
      (_, name, value) =>
        `${name}="${name === 'href' ? targets.link(page, value) : targets.file(page, value)}"`,
    );

rules.fence = (tokens, index, _, env) => {
  const { info, content } = tokens[index];
  const language = info.trim();
  return (
    (language === 'mermaid' && env.charts.html(env.page, content)) || codeBlock(content, language)
  );
};
rules.code_block = (tokens, index) => codeBlock(tokens[index].content, '');

const codeBlock = (text, language) =>
  `<pre tabindex="0"${language ? ` data-language="${escaped(language)}"` : ''}><code>${coloured(text.trimEnd(), language)}</code></pre>\n`;

/** A wide table scrolls by itself. */
rules.table_open = () =>
  '<div class="table" role="region" aria-label="Table" tabindex="0"><table>\n';
rules.table_close = () => '</table></div>\n';
rules.th_open = (tokens, index, options, _, self) => {
  tokens[index].attrSet('scope', 'col');
  return self.renderToken(tokens, index, options);
};

rules.heading_open = (tokens, index) => {
  const slug = escaped(tokens[index].attrGet('id'));
  return `<${tokens[index].tag} id="${slug}">`;
};
rules.heading_close = (tokens, index) => {
  const { tag } = tokens[index];
  const heading = tokens.slice(0, index).findLast(({ type }) => type === 'heading_open');
  const link =
    tag === 'h1'
      ? ''
      : ` <a class="anchor" href="#${escaped(heading.attrGet('id'))}" aria-label="Link to this section">#</a>`;
  return `${link}</${tag}>\n`;
};

/** @returns {{ before: string, after: string }} the page up to its second heading, and the rest */
export function rendered(page, targets, charts) {
  const env = { page, targets, charts };
  const seconds = page.headings.filter(({ level }) => level === 2);
  const cut =
    seconds.length > 0
      ? page.tokens.findIndex((token) => token.attrGet?.('id') === seconds[0].slug)
      : page.tokens.length;
  const html = (tokens) => markdown.renderer.render(tokens, markdown.options, env);
  return { before: html(page.tokens.slice(0, cut)), after: html(page.tokens.slice(cut)) };
}

/** The first paragraph without markup, for search engines and lists. */
export function summaryOf({ tokens }) {
  const index = tokens.findIndex(({ type, level }) => type === 'paragraph_open' && level === 0);
  const text = index < 0 ? '' : textOf(tokens[index + 1]);
  const end = text.indexOf('. ', 60);
  return end < 0 ? text : text.slice(0, end + 1);
}
