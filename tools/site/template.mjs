/** What every page has around its text. */
import { escaped } from './code.mjs';
import { icon, mark } from './mark.mjs';
import { between } from './targets.mjs';

/**
 * @param {{ plan: readonly object[], repository: string, version: string, api: boolean }} site
 * `api`: whether there is an API reference
 * @returns {(page: object, content: string) => string} the HTML of a page
 */
export function templateOf({ plan, repository, version, api }) {
  const order = plan.flatMap((section) =>
    section.groups.flatMap(({ pages }) => pages.map((page) => ({ page, section }))),
  );
  const places = new Map(order.map(({ page }, index) => [page, index]));
  const search = ({ url }) => between(url, 'search-index.js');

  return (page, content) => {
    const place = places.get(page);
    const { section } = order[place];
    const to = (url) => escaped(between(page.url, url));
    const entry = (one) =>
      `<a class="entry" href="${to(one.url)}"${one === page ? ' aria-current="page"' : ''}>${escaped(one.title)}</a>`;
    const tabs = plan.map((one) => {
      const here = one === section ? ' aria-current="true"' : '';
      return `<a class="tab" href="${to(one.groups[0].pages[0].url)}"${here}>${escaped(one.title)}</a>`;
    });
    if (api) tabs.push(`<a class="tab" href="${to('api/index.html')}">API</a>`);
    tabs.push(`<a class="tab" href="${to('studio.html')}">Studio</a>`);
    const groups = section.groups.map(
      ({ title, pages }) =>
        `<p class="group">${escaped(title)}</p>\n<ul class="entries">\n${pages.map((one) => `<li>${entry(one)}</li>`).join('\n')}\n</ul>`,
    );
    const contents = contentsOf(page);
    const [before, after] = [order[place - 1]?.page, order[place + 1]?.page];
    const step = (one, rel, text) =>
      one
        ? `<a class="step" rel="${rel}" href="${to(one.url)}"><span>${text}</span> ${escaped(one.title)}</a>`
        : '';
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.url === 'index.html' ? page.title : `${page.title} · Conclave`)}</title>
<meta name="description" content="${escaped(page.summary)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${to('site.css')}">
<script src="${to('site.js')}" data-index="${escaped(search(page))}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header class="top">
<a class="name" href="${to('index.html')}">${mark}Conclave</a>
<nav class="tabs" aria-label="Parts of the site">
${tabs.join('\n')}
</nav>
<search class="search" hidden><input class="query" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false"></search>
<a class="tab source" href="${escaped(repository)}">Source</a>
</header>
<div class="page">
<nav class="menu" aria-label="${escaped(section.title)}">
${groups.join('\n')}
</nav>
<details class="fold">
<summary>${escaped(section.title)}</summary>
<nav aria-label="${escaped(section.title)}">
${groups.join('\n')}
</nav>
</details>
<main id="content" tabindex="-1">
<article>
${content}</article>
<nav class="steps" aria-label="Previous and next page">
${step(before, 'prev', 'Previous')}
${step(after, 'next', 'Next')}
</nav>
<footer>
<p>Conclave ${escaped(version)}, MIT License. <a href="${escaped(`${repository}/blob/main/${page.path}`)}">${escaped(page.path)}</a></p>
</footer>
</main>
${contents}
</div>
</body>
</html>
`;
  };
}

/** The headings of a page, but for those in parts that a reader opens. */
function contentsOf({ headings }) {
  const shown = headings.filter(({ level, isFolded }) => !isFolded && (level === 2 || level === 3));
  if (shown.length < 2) return '<div class="contents"></div>';
  const rows = shown.map(
    ({ level, slug, text }) =>
      `<li><a class="entry${level === 3 ? ' inner' : ''}" href="#${escaped(slug)}">${escaped(text)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page">\n<p class="group">On this page</p>\n<ul class="entries">\n${rows.join('\n')}\n</ul>\n</nav>`;
}
