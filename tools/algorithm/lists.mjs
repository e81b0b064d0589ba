/**
 * The lists of all algorithms: of their entries, of how each is loaded, of their protocols, of their
 * marks, and the entries of `package.json`. An algorithm is a folder with an `entry.ts`; a folder with a
 * `protocol.ts` is exported.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { at, fileOf, has, moduleOf, read } from './files.mjs';

const source = 'packages/algorithms/src';
const manifest = 'packages/algorithms/package.json';

/** The folders with this file, below a family. */
const foldersWith = (file) =>
  readdirSync(at(source), { recursive: true })
    .map((path) => path.replaceAll('\\', '/')) // as Windows lists them
    .filter((path) => path.endsWith(`/${file}`))
    .map((path) => path.slice(0, -file.length - 1))
    .sort();

const nameOf = (folder) => folder.slice(folder.lastIndexOf('/') + 1);

/** The algorithms in their folders, in the order of their ids: A2 before A10, A3 before A3b. */
export async function algorithms() {
  const { protocolOf } = await moduleOf('catalogue');
  const found = await Promise.all(
    foldersWith('entry.ts').map(async (folder) => {
      const { entry, entryOver } = await moduleOf(`${folder}/entry`);
      const { id, name } = entry ?? entryOver(protocolOf);
      return { id, name, folder, isOver: entry === undefined };
    }),
  );
  return found.sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
}

/** Ids and names that an algorithm shares with one before it, in sentences. */
export const sharedIn = (all) =>
  ['id', 'name'].flatMap((what) =>
    all.flatMap((one, index) => {
      const other = all.slice(0, index).find((before) => before[what] === one[what]);
      return other
        ? [
            `${other.folder} and ${one.folder} have the same ${what}, '${one[what]}'. Try another one`,
          ]
        : [];
    }),
  );

/**
 * The lists that stand in the way of a build, by file: without folders that are gone and second
 * entries of an id, with the names that each protocol.ts exports. Needs no build.
 */
export function buildableLists() {
  const ids = new Set();
  const isFirst = (id) => !ids.has(id) && ids.add(id);
  const isThere = (folder) => has(fileOf(folder, 'entry.ts'));
  const entries = read(`${source}/entries.ts`).replace(
    /^export \{ \w+ as (\w+) \} from '\.\/(.+)\/entry\.js';\n/gm,
    (line, id, folder) => (isThere(folder) && isFirst(id) ? line : ''),
  );
  const loaders = read(`${source}/loaders.ts`).replace(
    /^ {2}'.+': \(\) =>\s+import\('\.\/(.+)\/entry\.js'\),\n/gm,
    (line, folder) => (isThere(folder) ? line : ''),
  );
  return {
    [`${source}/entries.ts`]: entries,
    [`${source}/loaders.ts`]: loaders,
    [`${source}/protocols.ts`]: formatted('protocols.ts', protocolsText()),
  };
}

/** The texts of the lists, by file. */
export async function lists() {
  const all = await algorithms();
  return {
    [`${source}/entries.ts`]: formatted('entries.ts', entriesText(all)),
    [`${source}/loaders.ts`]: formatted('loaders.ts', loadersText(all)),
    [`${source}/protocols.ts`]: formatted('protocols.ts', protocolsText()),
    [`${source}/marks.ts`]: formatted('marks.ts', marksText(all)),
    [manifest]: manifestText(),
  };
}

const written = '`npm run algorithm` writes this file.';

const entriesText = (all) => `/** The entries of all algorithms, by their ids. ${written} */
${all.map(({ id, folder, isOver }) => `export { ${isOver ? 'entryOver' : 'entry'} as ${id} } from './${folder}/entry.js';\n`).join('')}`;

const loadersText = (
  all,
) => `/** How each algorithm is loaded without the others, by its id and name. ${written} */
export const modules = {
${all
  .map(({ id, name, folder, isOver }) => {
    const file = isOver ? './catalogue.js' : `./${folder}/entry.js`;
    return `  '${id} ${name}': () => import('${file}'),\n`;
  })
  .join('')}};
`;

/** What a protocol.ts exports, types aside. */
const valuesIn = (folder) =>
  [...read(fileOf(folder, 'protocol.ts')).matchAll(/^export (?:const|function) (\w+)/gm)].map(
    ([, name]) => name,
  );

const protocolsText = () => `/** The protocols of all algorithms. ${written} */
${foldersWith('protocol.ts')
  .map((folder) => `export { ${valuesIn(folder).join(', ')} } from './${folder}/protocol.js';\n`)
  .join('')}`;

/** With an entry for each algorithm by itself: `@conclave/algorithms/raymond`. */
function manifestText() {
  const found = JSON.parse(read(manifest));
  const others = Object.entries(found.exports).filter(
    ([, { types }]) => !types.endsWith('/protocol.d.ts'),
  );
  const protocols = foldersWith('protocol.ts').map((folder) => {
    const name = nameOf(folder);
    const file = `./dist/${folder}/protocol`;
    const node = `./dist/node/${name}.js`;
    return [`./${name}`, { types: `${file}.d.ts`, node, default: `${file}.js` }];
  });
  const exports = Object.fromEntries([...others, ...protocols]);
  return `${JSON.stringify({ ...found, exports }, null, 2)}\n`;
}

const biome = 'node_modules/@biomejs/biome/bin/biome';

/** By name and text: a process each takes a moment. */
const known = new Map();

/** As biome wants a file of this name. */
export function formatted(name, text) {
  const key = `${name}\n${text}`;
  const words = [at(biome), 'check', '--write', '--stdin-file-path', `${source}/${name}`];
  if (!known.has(key))
    known.set(
      key,
      execFileSync(process.execPath, words, { cwd: at('.'), input: text, encoding: 'utf8' }),
    );
  return known.get(key);
}

// The marks of each algorithm: which tests its folder has, with the contracts that these call.

const suite = (what) => new RegExp(`describe\\(\\s*['\`][^'\`]*\\b${what}s?\\b`);
const calls = (contract) => new RegExp(`^ *${contract}\\(`, 'm');

/** By letter: what it says, and whether the texts of an algorithm's tests give it. */
const marks = {
  m: {
    meaning: 'each rule of its page has a test, and stands in the machine',
    has: ({ tests, rules }) => rules.every((rule) => tests.includes(`[${rule}]`)),
  },
  k: {
    meaning:
      'its properties notice its mutants, or each that passes has its reason: `mutants.json`',
    has: ({ folder }) => has(fileOf(folder, 'mutants.json')),
  },
  a: {
    meaning: 'a suite of *assumptions* drops one, and shows what breaks',
    has: ({ tests }) => suite('assumption').test(tests),
  },
  c: {
    meaning: 'a suite of its *cost*, and its contract, compare the cost formula with runs',
    has: ({ tests }) => suite('cost').test(tests) && tests.includes('costs what its formula says'),
  },
  x: {
    meaning: 'the explorer searches every interleaving of small systems',
    has: ({ tests }) => calls('everyInterleaving').test(tests),
  },
  e: {
    meaning: 'embedded nodes take every path through small systems',
    has: ({ tests }) => calls('sharedContract').test(tests),
  },
};

/** The text of a test file, with those of the contracts that it imports. */
function textOf(path, known = new Set()) {
  known.add(path);
  const text = read(path);
  const contracts = [...text.matchAll(/from '(\..*\.contract)\.js'/g)]
    .map(([, contract]) => join(dirname(path), `${contract}.ts`))
    .filter((contract) => !known.has(contract));
  return [text, ...contracts.map((contract) => textOf(contract, known))].join('\n');
}

function marksOf(folder) {
  const tests = readdirSync(at(fileOf(folder, '.')))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => textOf(fileOf(folder, name)))
    .join('\n');
  const page = read(fileOf(folder, 'README.md'));
  const rules = [...page.matchAll(/^\| ([A-Z]+\d+) \|/gm)].map(([, rule]) => rule);
  return Object.keys(marks).filter((mark) => marks[mark].has({ folder, tests, rules }));
}

/** The marks that an algorithm has, and what would give it the others. */
export function marksReport({ id, folder }) {
  const given = marksOf(folder);
  const missing = Object.entries(marks).filter(([mark]) => !given.includes(mark));
  return [
    `${id}: marks ${given.join('') || 'none'}`,
    ...missing.map(([mark, { meaning }]) => `  ${mark}  ${meaning}`),
  ];
}

export const marksText = (all) => `/**
 * What the tests of each algorithm show, by its id. \`npm run algorithm\` writes this file.
 *
${Object.entries(marks)
  .map(([mark, { meaning }]) => ` * - \`${mark}\`: ${meaning}\n`)
  .join('')} *
 * \`npm run verify\` tells whether these tests pass.
 */
export const marks: Readonly<Record<string, string>> = {
${all.map(({ id, folder }) => `  ${id}: '${marksOf(folder).join('')}',\n`).join('')}};
`;
