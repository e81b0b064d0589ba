/**
 * Measures one warm step of a node's machine: by `compile(machine)`, by `machine.transition` with a reused scope, by XState's pure
 * `transition`, and by `actor.send`.
 *
 * Each measurement is a process of its own. In it, all four take the same events of the same simulated run.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const runner = fileURLToPath(new URL('./steps.run.mjs', import.meta.url));
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const ways = ['compiled', 'plain', 'machine', 'transition', 'actor'];

export async function bench(options) {
  const runs = options.includes('--quick') ? 1 : 5;
  console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, node ${process.version}; median of ${runs}\n`);
  console.log('| machine | events | compiled, µs | with checks, µs | machine.transition | transition | actor.send |');
  console.log('|---|---|---|---|---|---|---|');
  for (const name of ['A3', 'A7', 'A5', 'B3']) {
    const rows = [];
    for (let run = 0; run < runs; run++)
      rows.push(JSON.parse(execFileSync(process.execPath, ['--expose-gc', runner, name], { encoding: 'utf8' })));
    const [compiled, plain, ...others] = ways.map((way) => median(rows.map((row) => row[way])));
    const ratios = ways.slice(2).map((way, index) => {
      const ratio = median(rows.map((row) => row[way] / row.compiled));
      return `${others[index].toFixed(2)} µs, ${ratio.toFixed(1)} ×`;
    });
    const cells = [`${name}, ${rows[0].title}`, rows[0].events.toLocaleString('en'), compiled.toFixed(2), plain.toFixed(2), ...ratios];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
