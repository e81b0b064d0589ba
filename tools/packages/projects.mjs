/**
 * The packed packages in empty projects, as users have them: by each package manager, under each
 * Node.js, with the oldest and the newest peers. A project imports and requires every entry, runs
 * the examples of the READMEs, compiles those in TypeScript, and calls the command. The rows have
 * each value at least once, with another neighbour in each column: all combinations would take an
 * hour. What this machine lacks is skipped, with the reason; in CI it fails.
 *
 *     node tools/packages/projects.mjs    prints a table; exit code 1 if a cell fails
 *
 * pnpm and Yarn ask their registry for the packages that a tarball depends on, even where the
 * project has that version: until the packages are published they are told by `overrides`.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { parse } from 'yaml';
import { isInternal } from './api.mjs';
import { examplesOf, readmes } from './examples.mjs';
import { pack } from './pack.mjs';

const workspace = parse(
  readFileSync(new URL('../../pnpm-workspace.yaml', import.meta.url), 'utf8'),
);
const rows = [
  { node: '20.19.0', manager: 'npm', peers: 'oldest', types: 'node16' },
  { node: '20.19.0', manager: 'yarn@1.22.22', peers: 'newest', types: 'bundler' },
  { node: '22.23.3', manager: 'pnpm@10.34.9', peers: 'oldest', types: 'nodenext' },
  { node: '24.21.0', manager: 'npm', peers: 'newest', types: 'nodenext' },
  { node: '24.21.0', manager: '@yarnpkg/cli-dist@4.18.1', peers: 'newest', types: 'bundler' },
];
/** Entries for tests, which need the optional peer Vitest. */
const ofVitest = /^@conclave\/(check\/vitest|core\/embedding\/testing)$/;
const resolutions = {
  node16: ['--module', 'node16'],
  nodenext: ['--module', 'nodenext'],
  bundler: ['--module', 'esnext', '--moduleResolution', 'bundler'],
};

/** `{ stdout }`, or `{ failure }`: what the program printed. */
export const outputOf = (command, args, options) =>
  promisify(execFile)(command, args, { timeout: 600_000, maxBuffer: 1 << 28, ...options }).catch(
    ({ stdout, stderr, message }) => ({ failure: `${stderr ?? ''}${stdout ?? ''}` || message }),
  );

/** The path of a program of npm's registry, such as `node@22.23.3`: `{ stdout }`, or `{ failure }`. */
export const pathOf = (program, command = program.replace(/@.*/, '')) =>
  outputOf('npx', ['-y', '-p', program, '-c', `command -v ${command}`]);

/** The manifest of a project: all packages as tarballs, the peers of the row, and a compiler. */
function manifestOf({ peers }, packed) {
  const tarballs = Object.fromEntries(
    packed.map(({ manifest: { name }, tarball }) => [name, `file:${tarball}`]),
  );
  const { typescript, '@types/node': types, '@opentelemetry/api': api } = workspace.catalog;
  const cut = peers === 'oldest' ? '^' : '';
  const versionOf = (name) => workspace.catalogs.peers[name].replace(cut, '');
  return {
    name: 'project',
    version: '1.0.0',
    private: true,
    type: 'module',
    dependencies: { ...tarballs, rxjs: versionOf('rxjs'), xstate: versionOf('xstate') },
    devDependencies: { typescript, '@types/node': types, '@opentelemetry/api': api },
    resolutions: tarballs,
    pnpm: { overrides: tarballs },
  };
}

/** The files of a project that use what is installed. */
function filesOf(packed, examples) {
  const entries = packed.flatMap(({ manifest: { name, exports } }) =>
    Object.keys(exports)
      .filter((entry) => !isInternal(entry) && !ofVitest.test(name + entry.slice(1)))
      .map((entry) => name + entry.slice(1)),
  );
  const list = JSON.stringify(entries);
  const module = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
  return {
    'entries.ts': entries.map((name, at) => `export * as part${at} from '${name}';`).join('\n'),
    'entries.mjs': `for (const name of ${list}) await import(name);\nconsole.log('ok');`,
    'entries.cjs': `const required = ${list}.map((name) => [name, require(name)]);
Promise.all(required.map(async ([name, entry]) => {
  if ((await import(name)) !== entry) throw new Error(name + ' is loaded twice');
})).then(() => console.log('ok'));`,
    ...Object.fromEntries(
      examples.flatMap(({ name, language, code }) => [
        [`${name}.${language}`, code],
        [`${name}.mjs`, ts.transpileModule(code, { compilerOptions: module }).outputText],
      ]),
    ),
  };
}

/** The cells of a row by their columns: what failed, or `undefined`. */
async function tried(row, { node, manager }, packed, folder) {
  const examples = readmes.flatMap(examplesOf);
  const isPlugAndPlay = row.manager.startsWith('@yarnpkg');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifestOf(row, packed)));
  if (isPlugAndPlay) writeFileSync(join(folder, 'yarn.lock'), ''); // the root of a project
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const yarn = {
    YARN_NPM_REGISTRY_SERVER: registry,
    YARN_ENABLE_IMMUTABLE_INSTALLS: 'false',
    YARN_ENABLE_SCRIPTS: 'false',
    YARN_CACHE_FOLDER: `${folder}-cache`, // that of Yarn 1 has earlier tarballs of the same version
  };
  const own = [join(folder, 'node_modules/.bin'), dirname(node)];
  const PATH = [...own, process.env.PATH].join(delimiter);
  const env = { ...process.env, ...yarn, NO_COLOR: '1', PATH };
  const run = (...words) => {
    const [program, ...args] = isPlugAndPlay && words[0] !== manager ? [manager, ...words] : words;
    return outputOf(program, args, { cwd: folder, env });
  };
  const quiet = isPlugAndPlay ? [] : ['--ignore-scripts'];
  const { failure } = await run(manager, 'install', ...quiet);
  if (failure) return { install: failure };
  for (const [name, text] of Object.entries(filesOf(packed, examples)))
    writeFileSync(join(folder, name), text);

  const prints = async (expected, ...words) => {
    const { failure, stdout } = await run(...words);
    const isRight = stdout?.trimEnd() === expected.trimEnd();
    return failure ?? (isRight ? undefined : `It prints\n${stdout}`);
  };
  const inShell = (code) =>
    isPlugAndPlay ? ['exec', 'sh', '-c', code.replaceAll('npx ', 'yarn ')] : ['sh', '-c', code];
  const differs = [];
  for (const { name, language, code, output } of examples) {
    const words = language === 'sh' ? inShell(code) : ['node', `${name}.mjs`];
    const found = await prints(output, ...words);
    if (found) differs.push(`${name}: ${found}`);
  }
  const programs = examples.flatMap(({ name, language }) => (language === 'ts' ? name : []));
  const strict = ['--noEmit', '--strict', '--target', 'es2022', '--types', 'node'];
  const sources = ['entries.ts', ...programs.map((name) => `${name}.ts`)];
  return {
    install: undefined,
    import: await prints('ok', 'node', 'entries.mjs'),
    require: await prints('ok', 'node', 'entries.cjs'),
    examples: differs[0],
    types: await prints('', 'tsc', ...strict, ...resolutions[row.types], ...sources),
    command: (await run('conclave', 'check', 'A3', '--topology', 'complete:2')).failure,
  };
}

const columns = ['install', 'import', 'require', 'examples', 'types', 'command'];

/**
 * A row for each project: its values, and its `cells`, each `passes`, `fails` or `skipped`, with
 * the `reason` in `notes`.
 */
export async function tryProjects(packed, folder, print = () => {}) {
  const results = [];
  print(rowText(['Node.js', 'manager', 'peers', 'types by', ...columns]));
  print(rowText(Array(4 + columns.length).fill('---')));
  for (const [index, row] of rows.entries()) {
    const node = await pathOf(`node@${row.node}`);
    const manager =
      row.manager === 'npm'
        ? await outputOf('sh', ['-c', 'command -v npm'])
        : await pathOf(row.manager, row.manager.startsWith('pnpm') ? 'pnpm' : 'yarn');
    const lacks = node.failure ?? manager.failure;
    const programs = { node: node.stdout?.trim(), manager: manager.stdout?.trim() };
    const found = lacks ? {} : await tried(row, programs, packed, join(folder, `project-${index}`));
    const stateOf = (column) =>
      !(column in found) ? 'skipped' : found[column] === undefined ? 'passes' : 'fails';
    const cells = Object.fromEntries(columns.map((column) => [column, stateOf(column)]));
    const failed = columns.filter((column) => found[column] !== undefined);
    const notes = lacks
      ? [`Skipped: npx cannot get the programs: ${lacks}`]
      : failed.map((column) => `Fails: ${column}: ${found[column]}`);
    results.push({ ...row, cells, notes });
    print(rowText([...Object.values(row), ...Object.values(cells)]));
    for (const note of notes) print(note);
  }
  return results;
}

/** Whether nothing failed, and in CI nothing was skipped. */
export const allPass = (results) =>
  !results.some(({ notes }) => notes.some((note) => process.env.CI || note.startsWith('Fails')));

export const rowText = (cells) => `| ${cells.join(' | ')} |`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-projects-'));
  try {
    if (!allPass(await tryProjects(pack(folder), folder, console.log))) process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
