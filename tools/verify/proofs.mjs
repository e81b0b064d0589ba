/** All tests, each proof and all random runs among them; then the marks of all algorithms. */
import { spawnSync } from 'node:child_process';

const run = (...args) => spawnSync('npx', args, { stdio: 'inherit' }).status === 0;

/**
 * Whether all passed. Marks are compared only where all tests run.
 *
 * @param paths only the test files below these
 * @param shard only one of several parts of the test files, such as 2/8
 */
export function proofsPass(paths, shard) {
  const part = shard ? [`--shard=${shard}`] : [];
  const passed = run('vitest', 'run', '--mode', 'verify', ...part, ...paths);
  return paths.length > 0 || shard ? passed : run('node', 'tools/algorithm/marks.mjs') && passed;
}
