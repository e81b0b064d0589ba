/**
 * Measures the speed of the simulation, and the network's share of the time.
 *
 * Each measurement is a process of its own, with its own peak memory. For comparison, the same process sends the same events to the same number
 * of actors of the same machine by bare `actor.send`, without a network.
 */
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';

const runner = fileURLToPath(new URL('./simulate.run.mjs', import.meta.url));
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

export async function bench(options) {
  const runs = options.includes('--quick') ? 1 : 5;
  const systems = [
    ['ring', 1_000],
    ['ring', 10_000],
    ['ring', 100_000],
    ['lock', 50],
  ];
  console.log(
    `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores, node ${process.version}; median of ${runs}, minimum and maximum in brackets\n`,
  );
  console.log('| system | messages | simulated, µs per message | bare actor.send, µs | ratio | messages/s | peak memory |');
  console.log('|---|---|---|---|---|---|---|');
  for (const [kind, size] of systems) {
    const rows = [];
    for (let run = 0; run < runs; run++)
      rows.push(
        JSON.parse(
          execFileSync(process.execPath, ['--expose-gc', '--max-old-space-size=8192', runner, kind, String(size)], { encoding: 'utf8' }),
        ),
      );
    const of = (pick, digits) => {
      const values = rows.map(pick);
      return `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} … ${Math.max(...values).toFixed(digits)})`;
    };
    const name = kind === 'ring' ? `B3, ring of ${size.toLocaleString('en')}` : `A3, ${size} nodes under load`;
    const cells = [
      name,
      rows[0].delivered.toLocaleString('en'),
      of(({ simulated, delivered }) => (1e6 * simulated) / delivered, 2),
      of(({ bare, delivered }) => (1e6 * bare) / delivered, 2),
      of(({ simulated, bare }) => simulated / bare, 2),
      Math.round(median(rows.map(({ simulated, delivered }) => delivered / simulated))).toLocaleString('en'),
      `${Math.round(median(rows.map(({ peak }) => peak)))} MB`,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
}
