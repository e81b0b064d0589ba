/**
 * Compares the speed of the explorer with xstate/graph and SPIN, on one reference model (bench/explore/).
 *
 * Each measurement is a process of its own, and the tools alternate. `--quick`: one run, and a smaller system for xstate/graph.
 * `--large`: also a system of 7.2 million states.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { counts } from './explore/reference.mjs';

const file = (name) => fileURLToPath(new URL(name, import.meta.url));
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export async function bench(options) {
  const quick = options.includes('--quick');
  const runs = quick ? 1 : 5;
  const folder = mkdtempSync(join(tmpdir(), 'conclave-bench-'));
  try {
    const systems = [
      { nodes: 3, commands: 1, runs, slow: quick ? 1 : 0 },
      { nodes: 3, commands: 2, runs, slow: quick ? 0 : 1 },
      ...(options.includes('--large') ? [{ nodes: 3, commands: 3, runs: quick ? 1 : 3, slow: 0 }] : []),
    ];
    console.log(
      `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, node ${process.version}; medians, minimum and maximum in brackets\n`,
    );
    for (const system of systems) compare(system, spin(folder, system));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs the tools in alternation and prints their table; `slow`: how many times xstate/graph runs. */
function compare({ nodes, commands, runs, slow }, runSpin) {
  const tools = [
    { name: 'Conclave, 1 worker', run: () => conclave(nodes, commands, 1), runs },
    { name: 'Conclave, 2 workers', run: () => conclave(nodes, commands, 2), runs },
    ...(runSpin ? [{ name: 'SPIN', run: runSpin, runs }] : []),
    { name: 'xstate/graph', run: () => xstateGraph(nodes, commands), runs: slow },
  ];
  const results = tools.map(() => []);
  for (let turn = 0; turn < runs; turn++)
    for (const [index, tool] of tools.entries()) if (turn < tool.runs) results[index].push(tool.run());

  console.log(`Reference model, N = ${nodes}, R = ${commands}\n`);
  console.log('| tool | states | transitions | exploration, s | process, s | peak memory | time ÷ ours |');
  console.log('|---|---|---|---|---|---|---|');
  const ours = median(results[0].map(({ seconds }) => seconds));
  for (const [index, { name }] of tools.entries()) {
    const rows = results[index];
    if (rows.length === 0) continue;
    const range = (pick) => {
      const values = rows.map(pick);
      const spread = values.length > 1 ? ` (${Math.min(...values).toFixed(2)} … ${Math.max(...values).toFixed(2)})` : '';
      return `${median(values).toFixed(2)}${spread}`;
    };
    const cells = [
      name,
      rows[0].states.toLocaleString('en'),
      rows[0].transitions.toLocaleString('en'),
      range(({ seconds }) => seconds),
      range(({ wall }) => wall),
      `${Math.round(median(rows.map(({ peak }) => peak)))} MB`,
      (median(rows.map(({ seconds }) => seconds)) / ours).toFixed(2),
    ];
    console.log(`| ${cells.join(' | ')} |`);
    for (const row of rows) requireCounts(name, row, counts[`${nodes}×${commands}`]);
  }
  console.log();
}

function requireCounts(name, { states, transitions }, expected) {
  if (states === expected.states && transitions === expected.transitions) return;
  console.error(
    `!!! ${name} explored another system: ${states} states and ${transitions} transitions, not ${expected.states} and ${expected.transitions}`,
  );
  process.exitCode = 1;
}

const conclave = (nodes, commands, workers) => node('conclave', nodes, commands, workers, []);
const xstateGraph = (nodes, commands) => node('xstate/graph', nodes, commands, 1, ['--max-old-space-size=16000']);

function node(tool, nodes, commands, workers, flags) {
  const args = [...flags, file('./explore.run.mjs'), tool, nodes, commands, workers];
  const { result, wall } = timed(process.execPath, args.map(String));
  return { ...JSON.parse(result), wall };
}

/**
 * Compiles the model for SPIN and returns a function that runs the verifier. `-DSAFETY`: no search for cycles. `-DNOREDUCE`: all states, like the
 * other tools. States are stored exactly. Collapse compression, smaller channels and other hash tables were no faster.
 */
function spin(folder, { nodes, commands }) {
  for (const [tool, flag] of [
    ['spin', '-V'],
    ['gcc', '--version'],
  ])
    if (spawnSync(tool, [flag]).status !== 0) return skip(`'${tool}' is not installed. Try apt-get install ${tool}.`);
  const at = { cwd: folder };
  copyFileSync(file('./explore/ricart-agrawala.pml'), join(folder, 'model.pml'));
  execFileSync('spin', ['-a', `-DN=${nodes}`, `-DR=${commands}`, 'model.pml'], at);
  const verifier = `./pan-${nodes}-${commands}`;
  execFileSync('gcc', ['-O3', '-w', '-DSAFETY', '-DNOREDUCE', '-DNOFAIR', '-o', verifier, 'pan.c'], at);
  return () => {
    const { result, wall } = timed(verifier, ['-m10000', commands > 2 ? '-w24' : '-w22'], at);
    const number = (pattern) => Number(pattern.exec(result)?.[1] ?? Number.NaN);
    if (number(/errors: (\d+)/) !== 0) throw new Error(`SPIN reports:\n${result}`);
    return {
      states: number(/(\d+) states, stored/),
      transitions: number(/(\d+) transitions \(=/) - 1, // SPIN counts the step into the initial state
      seconds: number(/elapsed time ([\d.]+) seconds/),
      peak: number(/([\d.]+)\s+total actual memory usage/),
      wall,
    };
  };
}

function skip(why) {
  console.error(`!!! SPIN skipped: ${why}`);
  return undefined;
}

function timed(command, args, options = {}) {
  const start = performance.now();
  const result = execFileSync(command, args, { encoding: 'utf8', maxBuffer: 2 ** 26, ...options });
  return { result, wall: (performance.now() - start) / 1000 };
}
