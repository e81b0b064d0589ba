/**
 * Checks the finished site: every address within it, every anchor, and that each page can be
 * reached.
 */
import { dirname, normalize } from 'node:path/posix';

const tags = /<[a-z][^<>]*>/gi;
const attributes = /\b(href|src|srcset|id|data-index|data-src)="([^"]*)"/g;

/** What an HTML text refers to, and the anchors that it has. */
export function addressesIn(html) {
  const [addresses, anchors] = [[], new Set()];
  const text = html.replace(
    /<(script|style)\b[^>]*>[\s\S]*?<\/\1>/gi,
    (all) => `${/^<[^>]*>/.exec(all)[0]}`,
  );
  for (const [tag] of text.matchAll(tags))
    for (const [, name, value] of tag.matchAll(attributes)) {
      if (name === 'id') anchors.add(unescaped(value));
      else if (name === 'srcset')
        addresses.push(...value.split(',').map((one) => one.trim().split(/\s+/)[0]));
      else addresses.push(unescaped(value));
    }
  return { addresses, anchors };
}

const unescaped = (text) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
const isElsewhere = (address) => /^(https?|mailto|data|ircs?):/i.test(address);

/**
 * @param {ReadonlyMap<string, string | undefined>} files by path from the root of the site: the
 * text of a page; undefined for any other file
 * @param {{ start?: string, addresses?: readonly (readonly [where: string, address: string])[],
 * ownAnchors?: readonly string[] }} [options] `start`: the page from which each must be reached.
 * `addresses`: further ones, such as those of the search index. `ownAnchors`: pages that read what
 * follows `#` themselves
 * @returns {readonly string[]} what is wrong
 */
export function checkLinks(
  files,
  { start = 'index.html', addresses: others = [], ownAnchors = [] } = {},
) {
  const pages = new Map(
    [...files].flatMap(([url, text]) => (text === undefined ? [] : [[url, addressesIn(text)]])),
  );
  const problems = [];
  const edges = new Map();
  const check = (url, address) => {
    if (isElsewhere(address)) return;
    if (/^[/\\]|^[a-z][a-z+.-]*:/i.test(address)) {
      problems.push(
        `${url}: '${address}' is not relative: the site would not work below another address`,
      );
      return;
    }
    const [path, anchor] = address.split('#');
    const bare = decodeURIComponent(path.split('?')[0]);
    const target = bare === '' ? url : normalize(`${dirname(url)}/${bare}`);
    if (!files.has(target))
      problems.push(`${url}: '${address}' leads to ${target}, which is not there`);
    else edges.get(url)?.push(target);
    const anchors = pages.get(target)?.anchors;
    if (
      anchor &&
      anchors &&
      !ownAnchors.includes(target) &&
      !anchors.has(decodeURIComponent(anchor))
    )
      problems.push(`${url}: '${address}' leads to an anchor that ${target} does not have`);
  };
  for (const [url, { addresses }] of pages) {
    edges.set(url, []);
    for (const address of addresses) check(url, address);
  }
  for (const [where, address] of others) check(where, address);
  const reached = new Set([start]);
  // a set is iterated with what is added meanwhile
  for (const url of reached) for (const next of edges.get(url) ?? []) reached.add(next);
  for (const url of pages.keys())
    if (!reached.has(url)) problems.push(`${url}: no link leads here from ${start}`);
  return problems;
}
