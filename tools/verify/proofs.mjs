/** All tests, each proof and all random runs among them; then the marks of all algorithms. */
import { spawnSync } from 'node:child_process';

const run = (...args) => spawnSync('npx', args, { stdio: 'inherit' }).status === 0;

/** Whether all passed. @param paths only the test files below these; then marks are not compared */
export function proofsPass(paths) {
  const passed = run('vitest', 'run', '--mode', 'verify', ...paths);
  return paths.length > 0 ? passed : run('node', 'tools/algorithm/marks.mjs') && passed;
}
