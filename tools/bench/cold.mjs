/**
 * From the command to the verdict: `conclave check` from a cold shell, beside SPIN, which is given
 * a model, writes a verifier in C, compiles and runs it. Each measurement is a shell of its own,
 * and the tools alternate. `--quick`: one run.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const conclave = file('../../packages/cli/bin/conclave.js');

export async function bench(options) {
  const runs = options.includes('--quick') ? 1 : 10;
  const folder = mkdtempSync(join(tmpdir(), 'conclave-bench-'));
  copyFileSync(file('./explore/ricart-agrawala.pml'), join(folder, 'model.pml'));
  console.log(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, node ${process.version}; medians of ${runs}\n`,
  );
  try {
    for (const commands of [1, 2]) compare(commands, runs, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Ricart–Agrawala with three nodes that enter `commands` times each. */
function compare(commands, runs, folder) {
  const check = `check A3 --topology complete:3 --entries ${commands}`;
  const tools = [
    { name: 'node -e 0', line: `'${process.execPath}' -e 0`, said: () => '' },
    {
      name: `conclave ${check}`,
      line: `'${process.execPath}' '${conclave}' ${check} --json`,
      said: statesOfConclave,
    },
    ...(hasSpin()
      ? [{ name: 'spin -a, gcc -O3, pan', line: spinLine(commands), said: statesOfSpin }]
      : []),
  ];
  const results = tools.map(() => []);
  for (let turn = 0; turn < runs; turn++)
    for (const [index, { line, said }] of tools.entries())
      results[index].push(measured(line, said, folder));

  console.log(`N = 3, R = ${commands}\n`);
  console.log('| command | states | wall, s | processor, s | wall ÷ ours |');
  console.log('|---|---|---|---|---|');
  const ours = median(results[1].map(({ wall }) => wall));
  for (const [index, { name }] of tools.entries()) {
    const rows = results[index];
    const wall = median(rows.map((row) => row.wall));
    const cells = [
      name,
      rows[0].states,
      wall.toFixed(2),
      median(rows.map((row) => row.cpu)).toFixed(2),
      (wall / ours).toFixed(2),
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  console.log();
}

/** Runs a line in a shell, which says at its end how much of the processors its commands took. */
function measured(line, said, folder) {
  const start = performance.now();
  const output = execFileSync('sh', ['-c', `${line}\ntimes`], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const wall = (performance.now() - start) / 1000;
  const [user = '', system = ''] = output.trim().split('\n').at(-1).split(' ');
  return { wall, cpu: secondsOf(user) + secondsOf(system), states: said(output) };
}

/** `0m1.234s` in seconds. */
function secondsOf(text) {
  const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(text) ?? [];
  return 60 * Number(minutes) + Number(seconds);
}

function statesOfConclave(output) {
  const { states, complete } = JSON.parse(output.slice(0, output.lastIndexOf('}') + 1));
  if (!complete) throw new Error('the check was not complete');
  return states.toLocaleString('en');
}

function statesOfSpin(output) {
  if (!/errors: 0/.test(output)) throw new Error(`SPIN reports:\n${output}`);
  return Number(/(\d+) states, stored/.exec(output)?.[1]).toLocaleString('en');
}

/** As in explore.mjs: all states, stored exactly, without a search for cycles. */
const spinLine = (commands) =>
  `spin -a -DN=3 -DR=${commands} model.pml && gcc -O3 -w -DSAFETY -DNOREDUCE -DNOFAIR -o pan pan.c && ./pan -m10000 -w22`;

function hasSpin() {
  const missing = [
    ['spin', '-V'],
    ['gcc', '--version'],
  ].find(([tool, flag]) => spawnSync(tool, [flag]).status !== 0);
  if (missing)
    console.error(
      `!!! SPIN skipped: '${missing[0]}' is not installed. Try apt-get install ${missing[0]}.`,
    );
  return missing === undefined;
}
