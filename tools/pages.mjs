/** The pages of the repository, and the chapters of the site and of llms.txt in which they stand. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const repository = 'https://github.com/conclave-ts/conclave';

/** Each page is in the first chapter that it matches, in this order. */
export const chapters = [
  [
    'Embed',
    /^docs\/(lock[\w-]*|fencing|choosing-.*|from-.*|election|once|group|transports|operations|deploying|changing-nodes|clocks|errors|journals)\.md/,
  ],
  [
    'Write and check',
    /^docs\/(tutorial|your|writing|checking|model|time|command|many|second|linearizability|compiled)[\w-]*\.md/,
  ],
  ['Teach', /^docs\/teaching\.md/],
  ['Algorithms, side by side', /^(docs\/catalogue|packages\/algorithms\/README)\.md/],
  ['Algorithms', /^packages\/(algorithms|core)\/src\/.*\.md/],
  [
    'Evidence',
    /^(docs\/(verified|verified-systems|mutation|torture|torture-elections|torture-rows|mistakes)|tools\/.*)\.md/,
  ],
  ['The study', /^docs\/study\//],
  ['Decisions', /^docs\/decisions\//],
  ['Packages', /^packages\/[^/]+(\/[^/]+)?\/(README|CHANGELOG)\.md/],
  ['Project', /^(docs\/[\w-]+|CONTRIBUTING|CHANGELOG)\.md/],
];
const noPages = /^README\.md|API\.md$|\/(template|fixtures|skill)\/|^\.(changeset|github)\//;

const listed = spawnSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).stdout;
export const paths = listed.split('\n').filter((path) => path !== '' && !noPages.test(path));
export const chapterOf = (path) => chapters.findIndex(([, pattern]) => pattern.test(path));
export const textOf = (path) => readFileSync(root + path, 'utf8');
export const titleOf = (path) => (/^# (.*)$/m.exec(textOf(path))?.[1] ?? path).replaceAll('`', '');
