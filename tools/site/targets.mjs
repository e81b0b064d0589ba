/** Where the links of the Markdown files lead in the site. */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { dirname, normalize, relative } from 'node:path/posix';

/**
 * From one page of the site to another, or to a file of it: always relative, so that the site works
 * anywhere.
 */
export function between(from, to) {
  const [path, anchor] = to.split('#');
  const way = path === from ? '' : relative(dirname(from), path);
  return anchor === undefined ? way || path.split('/').at(-1) : `${way}#${anchor}`;
}

/** A link to the page of the studio, as a build leaves it in a clone; the site has its own copy. */
const studioLink = /^(?:\.\.\/)*packages\/studio\/dist\/studio\.html(#.*)?$/;

/**
 * @param {{ root: string, repository: string, pages: readonly object[], documents:
 * ReadonlyMap<string, object> }} site `repository`: its address, such as
 * `https://github.com/conclave-ts/conclave`
 */
export function targetsOf({ root, repository, pages, documents }) {
  const problems = [];
  const files = new Map();
  // the first page of a file stands for it
  const byPath = new Map(pages.toReversed().map((page) => [page.path, page]));
  const places = new Map(
    pages.flatMap((page) => page.headings.map(({ slug }) => [`${page.path}#${slug}`, page])),
  );
  const pageAt = (path) =>
    byPath.get(path) ?? byPath.get(path === '' || path === '.' ? 'README.md' : `${path}/README.md`);
  const complain = (page, href, what) =>
    problems.push(`${page.path}:${lineOf(documents.get(page.path), href)}: ${what}`);

  /** The address for `href` on `page`. */
  function link(page, href) {
    const opened = studioLink.exec(href);
    if (opened) return `${between(page.url, 'studio.html')}${opened[1] ?? ''}`;
    const own = repositoryPath(href, repository);
    if (own === undefined && /^[a-z][a-z+.-]*:/i.test(href)) return href;
    const [path, anchor] = own ?? partsOf(page, href);
    const target = pageAt(path);
    if (target) return toPage(page, href, target, anchor);
    if (own !== undefined) return href;
    const file = join(root, path);
    if (path.startsWith('..') || !existsSync(file)) {
      complain(
        page,
        href,
        `the link to '${href}' leads nowhere: there is no ${path}. Mend the link.`,
      );
      return '#';
    }
    return `${repository}/${statSync(file).isDirectory() ? 'tree' : 'blob'}/main/${path}${anchor === undefined ? '' : `#${anchor}`}`;
  }

  function toPage(page, href, target, anchor) {
    if (anchor === undefined || anchor === 'readme') return between(page.url, target.url);
    const place = places.get(`${target.path}#${anchor}`);
    if (place) return between(page.url, `${place.url}#${anchor}`);
    complain(
      page,
      href,
      `the link to '${href}' leads to no heading: ${target.path} has none with the anchor '${anchor}'. Mend the link.`,
    );
    return '#';
  }

  /** The address for the file `src`, such as a picture, which becomes part of the site. */
  function file(page, src) {
    if (/^[a-z][a-z+.-]*:/i.test(src)) return src;
    const [path] = partsOf(page, src);
    if (!existsSync(join(root, path))) {
      complain(page, src, `there is no file '${path}'. Mend the address.`);
      return '#';
    }
    files.set(`files/${path}`, join(root, path));
    return between(page.url, `files/${path}`);
  }

  /** Width and height of an SVG of the repository. */
  function sizeOf(page, src) {
    const path = join(root, partsOf(page, src)[0]);
    const head =
      src.endsWith('.svg') && existsSync(path) ? readFileSync(path, 'utf8').slice(0, 400) : '';
    return svgSize(head);
  }

  return { link, file, files, sizeOf, problems };
}

/** Width and height as an SVG says them at its beginning. */
export function svgSize(svg) {
  const [, width, height] = /<svg[^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  return width === undefined ? undefined : [Number(width), Number(height)];
}

/** Path from the root, and anchor. */
function partsOf(page, href) {
  const [path, anchor] = decodeURIComponent(href).split('#');
  return [
    path === '' ? page.path : normalize(`${dirname(page.path)}/${path}`).replace(/\/$/, ''),
    anchor,
  ];
}

/** The same for an address within the repository on the web. */
function repositoryPath(href, repository) {
  if (!href.startsWith(repository)) return undefined;
  const match = /^(?:\/(?:blob|tree)\/main\/?([^#]*))?(?:#(.*))?$/.exec(
    href.slice(repository.length),
  );
  return match ? [(match[1] ?? '').replace(/\/$/, ''), match[2]] : undefined;
}

/** Where a file says `href`, from 1. */
function lineOf(document, href) {
  const index =
    document?.lines.findIndex((line) => line.includes(`(${href}`) || line.includes(`"${href}"`)) ??
    -1;
  return index + 1;
}
