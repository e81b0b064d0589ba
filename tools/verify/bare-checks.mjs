/**
 * Runs `conclave check <id>` without sizes for each protocol of the catalogue, and prints a line
 * for each: its exit code, how many systems it explored, and what it did not show.
 * One that shows nothing in its time has twelve times as much, so that a slow machine is no fault.
 * Exit code 1 if any check does not end with 0.
 *
 * node tools/verify/bare-checks.mjs [--seconds 120] [--workers 2] [id …]
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { catalogue } from '@conclave/algorithms';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '120' },
    workers: { type: 'string', default: '2' },
  },
});
const bin = fileURLToPath(new URL('../../packages/cli/bin/conclave.js', import.meta.url));
const left = positionals.length > 0 ? [...positionals] : catalogue.map(({ id }) => id);
let failures = 0;

const checked = (id, seconds) =>
  new Promise((resolve, reject) => {
    const args = ['check', id, '--max-seconds', `${seconds}`, '--json'];
    const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err] = [[], []];
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => err.push(chunk));
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() }),
    );
  });

function rowOf(id, { code, out, err }) {
  if (!out.startsWith('{')) return [id, `exit ${code}`, err.trim().split('\n').at(-1)];
  const { systems = [], properties = [], ended } = JSON.parse(out);
  const of = (verdict) => properties.filter((property) => property.verdict === verdict);
  return [
    id,
    `exit ${code}`,
    `${systems.length} systems, because ${ended}`,
    ...['violated', 'unreached', 'vacuous'].flatMap((verdict) =>
      of(verdict).map(({ name }) => `${verdict}: ${name}`),
    ),
    ...(of('incomplete').length > 0 ? [`${of('incomplete').length} properties incomplete`] : []),
  ];
}

async function work() {
  for (let id = left.shift(); id !== undefined; id = left.shift()) {
    const first = await checked(id, values.seconds);
    const result = first.code === 2 ? await checked(id, 12 * values.seconds) : first;
    if (result.code !== 0) failures++;
    console.log(rowOf(id, result).join(' | '));
  }
}

await Promise.all(Array.from({ length: Number(values.workers) }, work));
process.exitCode = failures === 0 ? 0 : 1;
