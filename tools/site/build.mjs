/**
 * `npm run site`: writes the documentation site.
 *
 * --out DIR  where; default: tools/site/dist. An earlier site there is replaced
 * --no-api   without the API reference, which takes most of the time
 *
 * Exit code 1: a link, an anchor or a picture leads nowhere. 2: it cannot be built.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { catalogue } from '@conclave/algorithms';
import { read } from '../algorithm/files.mjs';
import { wholePages } from '../algorithm/pages.mjs';
import { drawing } from './drawing.mjs';
import { checkLinks } from './links.mjs';
import { SiteProblem } from './problem.mjs';
import { siteOf } from './site.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { out, api } = options();
const started = performance.now();
const seconds = () => ((performance.now() - started) / 1000).toFixed(1);

const draw = await drawing().catch(refused);
const whole = await wholePages(catalogue);
const textOf = (path) => whole.get(path) ?? read(path);
const site = await siteOf({ root, catalogue, api, draw, onProgress: told, textOf }).catch(refused);
end(1, site.problems);
write(site.files);
const problems = [];
if (api) {
  say('API reference: some seconds');
  const { writeApi } = await import('./api.mjs');
  problems.push(
    ...(await writeApi({
      root,
      out: join(out, 'api'),
      repository: site.repository,
      sections: site.sections,
    })),
  );
}
say('links');
const index = site.search.map(([url]) => ['search-index.js', url]);
end(1, [
  ...problems,
  ...checkLinks(filesIn(out), { addresses: index, ownAnchors: ['studio.html'] }),
]);
clear();
console.log(
  `${site.pages.length} pages in ${seconds()} s: ${pathToFileURL(join(out, 'index.html')).href}`,
);

function options() {
  try {
    const { values } = parseArgs({
      options: {
        out: { type: 'string', default: join(root, 'tools/site/dist') },
        'no-api': { type: 'boolean', default: false },
      },
    });
    return { out: resolve(values.out), api: !values['no-api'] };
  } catch (error) {
    return end(2, [`${error.message}\nUsage: npm run site -- [--out DIR] [--no-api]`]);
  }
}

/** Replaces an earlier site, and nothing else. */
function write(files) {
  const mark = join(out, 'search-index.js');
  if (existsSync(out) && readdirSync(out).length > 0 && !existsSync(mark))
    end(2, [
      `${out} has files that are no earlier site. Name a new or empty folder: npm run site -- --out DIR`,
    ]);
  end(
    2,
    [...files.values()].flatMap(({ copyOf }) =>
      copyOf === undefined || existsSync(copyOf)
        ? []
        : [`${copyOf} is not there. Run npm run build.`],
    ),
  );
  rmSync(out, { recursive: true, force: true });
  for (const [url, file] of files) {
    const to = join(out, url);
    mkdirSync(dirname(to), { recursive: true });
    if (typeof file === 'string') writeFileSync(to, file);
    else copyFileSync(file.copyOf, to);
  }
}

/** What was written, by path: the text of each page, undefined for any other file. */
function filesIn(folder) {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    paths.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      const url = file.slice(folder.length + 1).replaceAll('\\', '/');
      return [
        url,
        name.endsWith('.html') && url !== 'studio.html' ? readFileSync(file, 'utf8') : undefined,
      ];
    }),
  );
}

/** How far it is, once that takes long. */
function told(what, done, all) {
  if (performance.now() - started > 2000) say(`${what}: ${done} of ${all}`);
}

/** On a terminal, what is being done. */
function say(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r${text}\x1b[K`);
}

function clear() {
  say('');
}

/** A mistake of the texts is told without a stack. */
function refused(error) {
  if (!(error instanceof SiteProblem)) throw error;
  end(2, [error.message]);
}

/** Ends with this code if anything is wrong. */
function end(code, problems) {
  if (problems.length === 0) return;
  clear();
  for (const problem of problems) console.error(problem);
  process.exit(code);
}
