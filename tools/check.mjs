/**
 * `npm run check`: each `check:…` of package.json, side by side. The output of each comes as a
 * whole when it has ended, and all failures are shown.
 *
 *     npm run check -- lint types    only these
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const all = Object.keys(scripts).flatMap((script) => /^check:(.+)$/.exec(script)?.[1] ?? []);
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  console.error(`There is no check '${unknown.join("', '")}'. Try ${all.join(', ')}.`);
  process.exit(2);
}

/** Resolves with whether the check has passed. */
function run(name) {
  const start = performance.now();
  const shell = process.platform === 'win32'; // npm is a script there
  const child = spawn('npm', ['run', '--silent', `check:${name}`], { shell });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text;
    });
  return new Promise((resolve) => {
    child.on('close', (code) => {
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`${code === 0 ? '✓' : '✗'} check:${name}, ${seconds} s\n${output}`.trimEnd());
      resolve(code === 0);
    });
  });
}

const passed = await Promise.all((asked.length > 0 ? asked : all).map(run));
if (passed.includes(false)) process.exitCode = 1;
