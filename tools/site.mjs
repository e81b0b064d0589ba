/**
 * `npm run site`: writes the documentation site, by TypeDoc: all pages of the repository, search, and
 * the reference of each public entry. The page of the studio lies beside it.
 *
 * --out DIR  where; default: reports/site. An earlier site there is replaced
 *
 * Exit code 1: a link leads nowhere, or a page has no chapter. 2: the arguments are wrong.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Application, Converter, JSX, Logger, LogLevel } from 'typedoc';
import { isInternal } from './packages/api.mjs';
import { packageFolders } from './packages/pack.mjs';
import { chapterOf, chapters, paths, repository, root, titleOf } from './pages.mjs';

const { out } = options();
const page = 'packages/studio/dist/studio.html';
const codes = 'sh console text js javascript ts typescript json html yaml sql ini mermaid';

const unplaced = paths.filter((path) => chapterOf(path) < 0);
const problems = unplaced.map((path) => `${path} has no chapter: give it one in tools/pages.mjs`);
if (!existsSync(join(root, page))) problems.push(`${page} is not there. Run npm run build.`);
if (problems.length === 0) problems.push(...(await write()), ...linksInto(out));
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${paths.length} pages: ${pathToFileURL(`${out}/index.html`).href}`);

async function write() {
  const warnings = [];
  const logger = new Logger();
  logger.log = (message, level) => {
    // a link to a folder: `withRepositoryLinks` replaces it
    if (level >= LogLevel.Warn && !message.includes('is not a file and')) warnings.push(message);
  };
  const entries = packageFolders.flatMap(publicEntries);
  const ordered = paths.toSorted((a, b) => chapterOf(a) - chapterOf(b));
  const app = await Application.bootstrap({
    name: 'Conclave',
    readme: join(root, 'README.md'),
    entryPoints: entries.map(({ file }) => file),
    projectDocuments: ordered.map((path) => join(root, path)),
    tsconfig: join(root, 'tools/site.tsconfig.json'),
    displayBasePath: root,
    disableGit: true,
    sourceLinkTemplate: `${repository}/blob/main/{path}#L{line}`,
    groupOrder: [...chapters.map(([title]) => title), '*'],
    navigation: { includeGroups: true },
    sort: ['documents-first', 'source-order'],
    excludeExternals: true,
    excludePrivate: true,
    skipErrorChecking: true, // npm run check:types
    githubPages: false,
    highlightLanguages: codes.split(' '),
    validation: { invalidLink: true, notExported: false, notDocumented: false },
  });
  app.logger = logger;
  const untitled = [...ordered];
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const path = untitled.shift(); // TypeDoc takes them in their order
    document.name = titleOf(path);
    document.frontmatter.group = chapters[chapterOf(path)][0];
    document.content = document.content.map((part) => withRepositoryLinks(part, path, '../'));
  });
  app.renderer.hooks.on('sidebar.begin', (context) =>
    JSX.createElement('a', { href: context.relativeURL('studio.html') }, 'The studio'),
  );
  const project = await app.convert();
  if (!project) return ['The site cannot be made:', ...warnings];
  for (const module of project.children ?? [])
    module.name =
      entries.find(({ file }) => file === module.sources?.[0]?.fullFileName)?.name ?? module.name;
  project.readme = project.readme?.map((part) => withRepositoryLinks(part, 'README.md', ''));
  app.validate(project);
  await app.generateDocs(project, out);
  copyFileSync(join(root, page), join(out, 'studio.html'));
  copyFileSync(join(root, 'llms.txt'), join(out, 'llms.txt'));
  return warnings;
}

/** A part of a page; a link to what is not in the site leads to the repository. */
function withRepositoryLinks(part, path, up) {
  if (part.kind !== 'relative-link') return part;
  const target = posix.normalize(`${dirname(path)}/${decodeURI(part.text)}`);
  if (paths.includes(target) || /\.(svg|png)$/.test(target)) return part;
  if (target === page) return { kind: 'text', text: `${up}studio.html` };
  return { kind: 'text', text: `${repository}/blob/main/${target}` };
}

/** Without those of single algorithms, whose names the entry of all has, too. */
function publicEntries(folder) {
  const { name, exports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json')));
  return Object.entries(exports).flatMap(([entry, { types }]) => {
    if (types.endsWith('/protocol.d.ts') || isInternal(entry)) return [];
    const source = types.replace('dist/', 'src/').replace('.d.ts', '.ts');
    return [{ name: name + entry.slice(1), file: join(root, folder, source) }];
  });
}

/** What pages refer to within the site, and is not there. */
function linksInto(folder) {
  const names = readdirSync(folder, { recursive: true });
  const files = names.filter((name) => name.endsWith('.html') && name !== 'studio.html');
  const textOf = (name) => readFileSync(join(folder, name), 'utf8');
  const texts = new Map(files.map((name) => [join(folder, name), textOf(name)]));
  const idsOf = (text) => new Set([...text.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id));
  const ids = new Map([...texts].map(([file, text]) => [file, idsOf(text)]));
  return [...texts].flatMap(([file, text]) =>
    [...text.matchAll(/\b(?:href|src)="([^"]*)"/g)].flatMap(([, address]) => {
      if (/^[a-z]+:|^\/\//i.test(address)) return [];
      const [path, anchor = ''] = decodeURIComponent(address).replaceAll('&amp;', '&').split('#');
      const target = path === '' ? file : resolve(dirname(file), path.split('?')[0]);
      if (existsSync(target) && (anchor === '' || ids.get(target)?.has(anchor) !== false))
        return [];
      return [`${file.slice(folder.length + 1)}: '${address}' leads nowhere`];
    }),
  );
}

function options() {
  try {
    const { values } = parseArgs({ options: { out: { type: 'string', default: 'reports/site' } } });
    return { out: resolve(root, values.out) };
  } catch (error) {
    console.error(`${error.message}\nUsage: npm run site -- [--out DIR]`);
    return process.exit(2);
  }
}
