/**
 * What `npm start`, `npm test` and all commands do that work on built packages: say what comes,
 * install, build, and run a script with the arguments. `--help` prints the script's head instead.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const commands = {
  start: ['packages/examples/dist/abilene.js', 'runs an election and two locks on a real backbone'],
  test: ['tools/test.mjs', 'runs the linter, the type checker and all tests: 4 minutes'],
  bench: ['tools/bench/bench.mjs', 'measures Conclave beside other tools'],
  site: ['tools/site.mjs', 'writes the site'],
  studio: ['tools/studio.mjs', 'says where the page of the studio is'],
  study: ['tools/study/study.mjs', 'computes the study'],
  torture: ['tools/torture/torture.mjs', 'kills, pauses and cuts off real processes'],
  verify: ['tools/verify/verify.mjs', 'runs all proofs, then larger systems: an hour'],
};

const [name, ...words] = process.argv.slice(2);
const [script, what] = commands[name];
const root = fileURLToPath(new URL('..', import.meta.url));
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Conclave needs Node.js 20.19 or later, and this is ${process.versions.node}.`);
  process.exitCode = 2;
} else if (words.includes('--help')) {
  const [, head] = /^\/\*\*\n([\s\S]*?)\n? \*\//.exec(readFileSync(root + script, 'utf8')) || [];
  console.log((head || what).replace(/^ \* ?/gm, ''));
} else {
  console.log(`Installs the packages, builds, and ${what}.`);
  const steps = [
    ['npm', ['run', '--silent', 'setup']],
    ['npm', ['run', '--silent', 'build']],
    [process.execPath, [script, ...words]],
  ];
  for (const [program, args] of steps) {
    const shell = program === 'npm' && process.platform === 'win32'; // npm is a script there
    const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit', shell });
    process.exitCode = status === null ? 1 : status;
    if (status !== 0) break;
  }
}
