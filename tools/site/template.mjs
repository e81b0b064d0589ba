/** What every page has around its text. */
import { escaped } from './code.mjs';
import { icon, mark } from './mark.mjs';
import { between } from './targets.mjs';

/**
 * @param {{ plan: readonly object[], repository: string, version: string, api: boolean }} site
 * `api`: whether there is an API reference
 * @returns {(page: object, content: string) => string} the HTML of a page
 */
export function templateOf(site) {
  const { plan, repository, version } = site;
  const order = plan.flatMap((section) =>
    section.groups.flatMap(({ pages }) => pages.map((page) => ({ page, section }))),
  );
  const places = new Map(order.map(({ page }, index) => [page, index]));

  return (page, content) => {
    const place = places.get(page);
    const { section } = order[place];
    const menu = section.groups.map((group) => groupOf(group, page)).join('\n');
    return `<!doctype html>
<html lang="en">
${headOf(page)}
<body>
<a class="skip" href="#content">Skip to the text</a>
${topOf(page, section, site)}
<div class="page">
<nav class="menu" aria-label="${escaped(section.title)}">
${menu}
</nav>
<details class="fold">
<summary>${escaped(section.title)}</summary>
<nav aria-label="${escaped(section.title)}">
${menu}
</nav>
</details>
<main id="content" tabindex="-1">
<article>
${content}</article>
<nav class="steps" aria-label="Previous and next page">
${stepTo(order[place - 1]?.page, page, 'prev', 'Previous')}
${stepTo(order[place + 1]?.page, page, 'next', 'Next')}
</nav>
<footer>
<p>Conclave ${escaped(version)}, MIT License. <a href="${escaped(`${repository}/blob/main/${page.path}`)}">${escaped(page.path)}</a></p>
</footer>
</main>
${contentsOf(page)}
</div>
</body>
</html>
`;
  };
}

/** The address of a file of the site, as a page writes it. */
const address = (page, url) => escaped(between(page.url, url));

const headOf = (page) => `<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(page.url === 'index.html' ? page.title : `${page.title} · Conclave`)}</title>
<meta name="description" content="${escaped(page.summary)}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${icon}">
<link rel="stylesheet" href="${address(page, 'site.css')}">
<script src="${address(page, 'site.js')}" data-index="${address(page, 'search-index.js')}" defer></script>
</head>`;

/** The name, the sections of the site, and the search. */
function topOf(page, section, { plan, repository, api }) {
  const tab = (url, title, attribute = '') =>
    `<a class="tab" href="${address(page, url)}"${attribute}>${escaped(title)}</a>`;
  const tabs = [
    ...plan.map((one) =>
      tab(one.groups[0].pages[0].url, one.title, one === section ? ' aria-current="true"' : ''),
    ),
    ...(api ? [tab('api/index.html', 'API')] : []),
    tab('studio.html', 'Studio'),
  ];
  return `<header class="top">
<a class="name" href="${address(page, 'index.html')}">${mark}Conclave</a>
<nav class="tabs" aria-label="Parts of the site">
${tabs.join('\n')}
</nav>
<search class="search" hidden><input class="query" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false"></search>
<a class="tab source" href="${escaped(repository)}">Source</a>
</header>`;
}

/** A part of the menu of a section. */
function groupOf({ title, pages }, page) {
  const entries = pages.map(
    (one) =>
      `<li><a class="entry" href="${address(page, one.url)}"${one === page ? ' aria-current="page"' : ''}>${escaped(one.title)}</a></li>`,
  );
  return `<p class="group">${escaped(title)}</p>\n<ul class="entries">\n${entries.join('\n')}\n</ul>`;
}

const stepTo = (one, page, rel, text) =>
  one
    ? `<a class="step" rel="${rel}" href="${address(page, one.url)}"><span>${text}</span> ${escaped(one.title)}</a>`
    : '';

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
