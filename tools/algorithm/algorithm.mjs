/**
 * `npm run algorithm A3 …`: builds, judges the mutants of these algorithms, runs the tests of their
 * folders, and writes what follows: lists, marks, pages, API.md. It says what is missing. Without an
 * id, for all of them: half an hour.
 *
 * --check    compares all that is generated; judges no mutant, runs no test, writes nothing
 * --pages    writes all that is generated; judges no mutant, runs no test
 * --jobs N   how many sets of options are mutated at a time. Default 2
 *
 * It changes modules that it has to load itself: the lists of algorithms, and the marks of a new one.
 * Node.js loads a module once. So each part that depends on what was written runs in a new process of
 * this same program, by --lists and --files.
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { at, write } from './files.mjs';
import { algorithms, buildableLists, sharedIn } from './lists.mjs';

/** The exit code where the lists were out of date. */
const changedLists = 3;
const { values, positionals } = given();

if (values.lists) await writeLists();
else if (values.files) await writePages();
else await all();

async function all() {
  if (!values.check) repairLists();
  build();
  const code = inNewProcess('--lists');
  if (code === changedLists) {
    if (values.check) fail('The lists are out of date: npm run algorithm -- --pages');
    build();
  } else if (code !== 0) process.exit(1);
  const { chosenOf, missingIn, testsOf, unknownIn } = await import('./generated.mjs');
  const unknown = unknownIn(positionals);
  if (unknown.length > 0) fail(unknown.join('\n'));
  const chosen = chosenOf(positionals);
  const incomplete = chosen.flatMap(missingIn);
  if (incomplete.length > 0) fail(incomplete.join('\n'));
  const wrong = values.check || values.pages ? [] : await judgeAndTest(chosen, testsOf);
  if (inNewProcess('--files', ...positionals))
    wrong.push(values.check ? 'Run npm run algorithm -- --pages' : 'Not all could be written');
  if (wrong.length > 0) fail(wrong.join('\n'));
  console.log(`${chosen.map(({ id }) => id).join(' ')}: all is there, and up to date`);
}

/** What was loaded before the lists or the marks were written is out of date. */
function inNewProcess(...words) {
  return run(process.execPath, 'tools/algorithm/algorithm.mjs', ...words, ...flags('check'));
}

/** Exit code 1: in `--check`, something was out of date. */
async function writePages() {
  const { chosenOf, writeFiles } = await import('./generated.mjs');
  const { marksReport } = await import('./lists.mjs');
  const chosen = chosenOf(positionals);
  const stale = await writeFiles(chosen, values.check);
  const api = run(process.execPath, 'tools/packages/api.mjs', 'algorithms', ...flags('check'));
  if (positionals.length > 0) console.log(chosen.flatMap(marksReport).join('\n'));
  process.exitCode = api || (values.check && stale.length > 0) ? 1 : 0;
}

async function judgeAndTest(chosen, testsOf) {
  const { judgeMutants } = await import('./mutants.mjs');
  const wrong = await judgeMutants(chosen, Number(values.jobs));
  // all tests of these algorithms, with their proofs
  if (run('npx', 'vitest', 'run', '--mode', 'verify', ...testsOf(chosen)))
    wrong.push('Tests failed');
  if (inNewProcess('--lists') === changedLists) build(); // a new algorithm's marks
  return wrong;
}

/** A folder that was renamed or removed, or an id given twice, must not prevent the build. */
function repairLists() {
  for (const [path, text] of Object.entries(buildableLists()))
    if (write(path, text)) console.log(`written: ${path}`);
}

async function writeLists() {
  const shared = sharedIn(await algorithms());
  if (shared.length > 0) fail(shared.join('\n'));
  const { lists, stale } = await import('./generated.mjs');
  const changed = stale(await lists());
  for (const [path, text] of changed) {
    if (!values.check) write(path, text);
    console.log(`${values.check ? 'out of date' : 'written'}: ${path}`);
  }
  if (changed.length > 0) process.exitCode = changedLists;
}

function given() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        check: { type: 'boolean', default: false },
        pages: { type: 'boolean', default: false },
        jobs: { type: 'string', default: '2' },
        lists: { type: 'boolean', default: false },
        files: { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    return fail(`${error.message}. Try npm run algorithm -- [ID …] [--check|--pages] [--jobs N].`);
  }
}

function build() {
  run(process.execPath, 'tools/kernel.mjs');
  if (
    run(
      'npm',
      'run',
      '--silent',
      'tsc',
      '--',
      '-b',
      'packages/core',
      'packages/check',
      'packages/algorithms',
    )
  )
    fail('It does not compile');
  if (run(process.execPath, 'tools/packages/bundle.mjs')) fail('It cannot be bundled');
}

/** @returns the exit code */
function run(command, ...words) {
  try {
    const shell = command !== process.execPath && process.platform === 'win32'; // npm is a script there
    execFileSync(command, words, { cwd: at('.'), stdio: ['ignore', 'inherit', 'inherit'], shell });
    return 0;
  } catch (error) {
    return error.status ?? 1;
  }
}

function flags(...names) {
  return names.flatMap((name) => (values[name] ? [`--${name}`] : []));
}

function fail(what) {
  console.error(what);
  process.exit(1);
}
