/** The last part of `npm test`: the checks beside the tests. What the checks print follows. */
import { spawn } from 'node:child_process';

const node = (stdio, ...words) =>
  spawn(process.execPath, words, { cwd: new URL('..', import.meta.url), stdio });
const passes = (child) =>
  new Promise((resolve) => {
    child.on('close', (code) => resolve(code === 0));
  });

const checks = node(['ignore', 'pipe', 'inherit'], 'tools/check.mjs');
let output = '';
checks.stdout.setEncoding('utf8').on('data', (text) => {
  output += text;
});
const tests = node('inherit', 'node_modules/vitest/vitest.mjs', 'run');
const passed = await Promise.all([passes(checks), passes(tests)]);
console.log(output.trimEnd());
if (passed.includes(false)) process.exitCode = 1;
