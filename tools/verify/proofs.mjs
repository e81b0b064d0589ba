/** All tests, each proof and all random runs among them; then all packages. */
import { spawnSync } from 'node:child_process';

/** New ones each day; CONCLAVE_SEED repeats those of another day. */
const seed = process.env.CONCLAVE_SEED ?? new Date().toISOString().slice(2, 10).replaceAll('-', '');
const env = { ...process.env, CONCLAVE_SEED: seed };
const run = (...args) => spawnSync('npx', args, { stdio: 'inherit', env }).status === 0;

/** Whether a check of each algorithm, of so many seconds and without sizes, ends with 0. */
export const checksPass = (seconds) =>
  run('node', 'tools/verify/bare-checks.mjs', '--seconds', String(seconds));

/** Whether the tests of the studio's page pass in Firefox. */
export function firefoxPasses() {
  env.CONCLAVE_BROWSER = 'firefox';
  return run('vitest', 'run', '--mode', 'verify', 'packages/studio/src/browser');
}

/** Whether a program that embeds Conclave works under each runtime: runtimes.mjs. */
export const runtimesPass = () => run('node', 'tools/verify/runtimes.mjs');

/** Whether the packages work in projects of each package manager: projects.mjs. */
export const projectsPass = () => run('node', 'tools/packages/projects.mjs');

/**
 * Whether all passed. Packages are checked only where all tests run.
 *
 * @param paths only the test files below these
 * @param shard only one of several parts of the test files, such as 2/8
 */
export function proofsPass(paths, shard) {
  const part = shard ? [`--shard=${shard}`] : [];
  const passed = run('vitest', 'run', '--mode', 'verify', ...part, ...paths);
  if (paths.length > 0 || shard) return passed;
  return run('node', 'tools/packages/check-packages.mjs', '--all') && passed;
}
