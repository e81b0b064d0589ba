/**
 * Measures one warm step of a machine: by `compile(machine)`, by `machine.transition` with one scope for all steps, by XState's `transition`, and
 * by `actor.send`; and one step of a node with the checks of the node contract, by plan and by XState.
 *
 * Each run is a process of its own, in which all of them take the first 4,000 events of the same simulation, each 12 times in turn; the shortest
 * time of each counts, since other work on the machine only adds to it.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const runner = fileURLToPath(new URL('./steps.run.mjs', import.meta.url));
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export async function bench(options) {
  const runs = options.includes('--quick') ? 1 : 5;
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, node ${process.version}`;
  console.log(`${machine}; median of ${runs}, µs per step; in brackets how many times as long as compiled, or as a node step by plan\n`);
  console.log('| machine | compiled | machine.transition | transition | actor.send | node step by plan | node step by XState |');
  console.log('|---|---|---|---|---|---|---|');
  for (const name of ['lelann-chang-roberts', 'raymond', 'ricart-agrawala', 'maekawa']) {
    const rows = [];
    for (let run = 0; run < runs; run++)
      rows.push(JSON.parse(execFileSync(process.execPath, ['--expose-gc', runner, name], { encoding: 'utf8' })));
    const time = (way) => median(rows.map((row) => row[way])).toFixed(2);
    const ratio = (way, base) => `${time(way)} (${median(rows.map((row) => row[way] / row[base])).toFixed(1)} ×)`;
    const others = ['machine', 'transition', 'actor'].map((way) => ratio(way, 'compiled'));
    console.log(`| ${[rows[0].title, time('compiled'), ...others, time('byPlan'), ratio('byXState', 'byPlan')].join(' | ')} |`);
  }
}
