/**
 * What an application loads, in built checkouts side by side: the bundle of a lock for browsers,
 * minified and gzipped, without XState and RxJS, and the CPU time in which Node imports it with
 * them. Prints a Markdown table; the checkouts take turns, so that a busy machine is busy for both.
 *
 *     node tools/packages/entry.mjs . ../main
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { figure } from '../bench/measured.mjs';

const entries = {
  'a lock that chooses its protocol': `export { lock } from '@conclave/coordination';`,
  'a lock by one algorithm': `export { lock } from '@conclave/coordination/lock';
    export { leasedMajority } from '@conclave/algorithms/leased-majority';`,
};
/** How often each is imported. */
const runs = 11;
/** A package of the checkout that depends on all that applications use. */
const within = (checkout) => resolve(checkout, 'packages/examples');

/** In kB of 1,000 bytes. */
export function bundleSize(checkout, contents) {
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: within(checkout) },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: ['xstate', 'rxjs'],
  });
  return gzipSync(outputFiles[0].contents).length / 1000;
}

/** CPU milliseconds, in a process of its own. */
function importTime(checkout, contents) {
  const specifiers = [...contents.matchAll(/from ('[^']+')/g)].map(([, name]) => name);
  const program = `const { user, system } = process.cpuUsage();
    ${specifiers.map((name) => `await import(${name});`).join('\n')}
    const now = process.cpuUsage();
    console.log((now.user + now.system - user - system) / 1000);`;
  const words = ['--input-type=module', '--eval', program];
  return Number(execFileSync(process.execPath, words, { cwd: within(checkout) }));
}

/** A row of the table: what the first checkout has, and how much more than each other one. */
export function rowOf(what, [first, ...others]) {
  const shown = [first, ...others].map((value) => value.toFixed(1));
  const more = others.map((value) => {
    const percent = (100 * (first - value)) / value;
    return `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)} %`;
  });
  return `| ${[what, ...shown, ...more].join(' | ')} |`;
}

function main() {
  const checkouts = process.argv.length > 2 ? process.argv.slice(2) : ['.'];
  const heads = [...checkouts, ...checkouts.slice(1).map((name) => `against ${name}`)];
  console.log(`| | ${heads.join(' | ')} |\n|${' --- |'.repeat(1 + heads.length)}`);
  for (const [what, contents] of Object.entries(entries)) {
    const sizes = checkouts.map((checkout) => bundleSize(checkout, contents));
    console.log(rowOf(`${what}: bundle, kB`, sizes));
    const times = checkouts.map(() => []);
    for (let run = 0; run < runs; run++)
      for (const [index, checkout] of checkouts.entries())
        times[index].push(importTime(checkout, contents));
    const medians = times.map((list) => figure(list)[0]);
    console.log(rowOf(`${what}: import, ms of CPU`, medians));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
