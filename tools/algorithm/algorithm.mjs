/**
 * `npm run algorithm A3 …`: builds, judges the mutants of these algorithms, runs the tests of their
 * folders, and writes what follows: lists, marks, pages. It says what is missing. Without an id, for
 * all of them: half an hour.
 *
 * --check    compares all that is generated; judges no mutant, runs no test, writes nothing
 * --pages    writes all that is generated; judges no mutant, runs no test
 * --jobs N   how many sets of options are mutated at a time. Default 2
 */
import { execFileSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { at, write } from './files.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    check: { type: 'boolean', default: false },
    pages: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
    lists: { type: 'boolean', default: false },
  },
});

if (values.lists) await writeLists();
else await all();

async function all() {
  build();
  // in a process of its own: what was loaded before the lists were written is out of date
  if (run(process.execPath, 'tools/algorithm/algorithm.mjs', '--lists', ...flags('check'))) {
    if (values.check) fail('The lists are out of date: npm run algorithm -- --pages');
    build();
  }
  const { chosenOf, marksOf, missingIn, testsOf, writeFiles } = await import('./steps.mjs');
  const chosen = chosenOf(positionals);
  const incomplete = chosen.flatMap(missingIn);
  if (incomplete.length > 0) fail(incomplete.join('\n'));
  const wrong = values.check || values.pages ? [] : await judgeAndTest(chosen, testsOf);
  const stale = await writeFiles(chosen, values.check);
  if (values.check && stale.length > 0)
    fail(`Out of date: ${stale.join(', ')}. Run npm run algorithm -- --pages`);
  if (positionals.length > 0) console.log(chosen.flatMap(marksOf).join('\n'));
  if (wrong.length > 0) fail(wrong.join('\n'));
  console.log(`${chosen.map(({ id }) => id).join(' ')}: all is there, and up to date`);
}

async function judgeAndTest(chosen, testsOf) {
  const { judgeMutants } = await import('./judge.mjs');
  const wrong = await judgeMutants(chosen, Number(values.jobs));
  if (run('npx', 'vitest', 'run', ...testsOf(chosen))) wrong.push('Tests failed');
  const ids = chosen.map(({ id }) => id).join(',');
  if (run(process.execPath, 'tools/algorithm/marks.mjs', '--write', '--only', ids))
    wrong.push('The marks could not be written');
  return wrong;
}

/** Exit code 1: they were out of date. */
async function writeLists() {
  const { lists, stale } = await import('./generated.mjs');
  const changed = stale(await lists());
  for (const [path, text] of changed) {
    if (!values.check) write(path, text);
    console.log(`${values.check ? 'out of date' : 'written'}: ${path}`);
  }
  process.exitCode = changed.length > 0 ? 1 : 0;
}

function build() {
  run(process.execPath, 'tools/kernel.mjs');
  if (run('npm', 'run', '--silent', 'tsc', '--', '-b', 'packages/core', 'packages/algorithms'))
    fail('It does not compile');
}

/** @returns the exit code */
function run(command, ...words) {
  try {
    execFileSync(command, words, {
      cwd: at('.'),
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, CONCLAVE_TIER: 'verify' }, // all tests of these algorithms
    });
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
