/**
 * How the parts of the benchmark measure: each measurement is a process of its own, and the tools
 * take turns.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The last output of a process, its seconds, and its peak memory in MB, where Linux tells it. */
export function run(command, args, options = {}) {
  const start = performance.now();
  const child = spawn(command, args.map(String), { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let [stdout, stderr, peak] = ['', '', 0];
  const look = () => {
    try {
      peak = Math.max(
        peak,
        Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? 0) /
          1024,
      );
    } catch {
      // The process has ended, or this is not Linux.
    }
  };
  const timer = setInterval(look, 10);
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      clearInterval(timer);
      reject(error);
    });
    child.once('close', (status, signal) => {
      clearInterval(timer);
      const seconds = (performance.now() - start) / 1000;
      if (status === 0) resolve({ stdout, seconds, ...(peak > 0 ? { peak } : {}) });
      else
        reject(
          new Error(
            `${command} ended with ${signal ?? `exit code ${status}`}: ${(stderr || stdout).trim().slice(-300)}`,
          ),
        );
    });
  });
}

/** One measurement by a file of tools/bench/parts, which prints its result as JSON. */
export async function measured(file, args, flags = []) {
  const { stdout, seconds, peak } = await run(process.execPath, [
    ...[...flags, fileURLToPath(new URL(`./parts/${file}`, import.meta.url)), ...args],
  ]);
  return { process: seconds, ...(peak ? { peak } : {}), ...JSON.parse(stdout) };
}

export const isInstalled = (tool, flag) => spawnSync(tool, [flag]).status === 0;

/** Of the first line that a tool prints about itself. */
export const versionOf = (tool, flag) =>
  spawnSync(tool, [flag], { encoding: 'utf8' }).stdout?.split('\n')[0]?.trim();

const byValue = (a, b) => a - b;

/** Median, least and most. The median of an even number of values is the mean of the two in the middle. */
export function figure(values) {
  const sorted = [...values].sort(byValue);
  const middle = (sorted.length - 1) / 2;
  const round = (value) => Number(value.toPrecision(4));
  const median = (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
  return [median, sorted[0], sorted.at(-1)].map(round);
}

/**
 * Runs the tools in turns: `{ name, measure, runs }`. Returns one list of results for each tool; a
 * tool that fails has none, and `failed` is called.
 */
export async function inTurns(tools, { progress, failed }) {
  const results = tools.map(() => []);
  const broken = new Set();
  const most = Math.max(...tools.map(({ runs }) => runs));
  for (let turn = 0; turn < most; turn++)
    for (const [index, { name, measure, runs }] of tools.entries()) {
      if (turn >= runs || broken.has(index)) continue;
      progress(`${name}, ${turn + 1} of ${runs}`);
      try {
        results[index].push(await measure());
      } catch (error) {
        broken.add(index);
        failed(name, error);
      }
    }
  return results;
}

/** As `inTurns`: the rows that `rowsOf(name, results)` makes of each tool that has results. */
export async function rowsInTurns(tools, context, rowsOf) {
  const results = await inTurns(tools, context);
  return results.flatMap((found, at) => (found.length === 0 ? [] : rowsOf(tools[at].name, found)));
}

/** Calls `use` with a temporary folder, which is then removed. */
export async function inFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-bench-'));
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
