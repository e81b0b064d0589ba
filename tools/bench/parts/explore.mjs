/**
 * The speed of the search beside SPIN, Rumur and xstate/graph, on one reference model
 * (tools/bench/explore/) whose counts must agree.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { counts } from '../explore/reference.mjs';
import { figure, inTurns, measured } from '../measured.mjs';
import { rumur, spin } from './peers.mjs';

const runner = fileURLToPath(new URL('./explore.run.mjs', import.meta.url));
const gigabytes = 12;

export async function measure({ runs, quick, note, progress, failed }) {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-bench-'));
  const rows = [];
  try {
    for (const { nodes, commands, others = true, graph = 0, once = false } of systems(
      quick,
      note,
    )) {
      const system = `N = ${nodes}, R = ${commands}`;
      const times = once ? 1 : runs;
      const tools = [
        {
          name: 'Conclave',
          runs: times,
          measure: () => measured(runner, ['conclave', nodes, commands]),
        },
      ];
      if (others)
        for (const peer of [spin, rumur]) {
          const tool = peer(folder, nodes, commands, note);
          if (tool) tools.push({ ...tool, runs: times });
        }
      if (graph > 0)
        tools.push({
          name: 'xstate/graph',
          runs: graph,
          measure: () =>
            measured(runner, ['xstate/graph', nodes, commands], ['--max-old-space-size=16000']),
        });
      const results = await inTurns(tools, {
        progress: (text) => progress(`${system}, ${text}`),
        failed,
      });
      for (const [index, found] of results.entries())
        if (found.length > 0)
          rows.push(
            rowOf(system, tools[index].name, found, counts[`${nodes}×${commands}`], failed),
          );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  return rows;
}

/** `graph`: how many times xstate/graph runs, which takes minutes at R = 2. `once`: one run. */
function systems(quick, note) {
  const small = { nodes: 3, commands: 1, graph: 1 };
  if (quick) return [small, { nodes: 3, commands: 2 }];
  const four = { nodes: 4, commands: 1, others: false, once: true };
  const fits = freemem() > gigabytes * 2 ** 30;
  if (!fits) note(`N = 4, R = 1 left out: it needs ${gigabytes} GB of free memory.`);
  return [
    small,
    { nodes: 3, commands: 2, graph: 1 },
    { nodes: 3, commands: 3 },
    ...(fits ? [four] : []),
  ];
}

function rowOf(system, tool, found, expected, failed) {
  for (const { states, transitions } of found)
    if (states !== expected.states || transitions !== expected.transitions)
      failed(
        tool,
        new Error(`it explored another system: ${states} states and ${transitions} transitions`),
      );
  const of = (pick) => figure(found.map(pick));
  const [{ states, transitions }] = found;
  const peaks = found.every(({ peak }) => peak !== undefined);
  return {
    system,
    tool,
    states,
    transitions,
    figures: {
      'search, s': of(({ seconds }) => seconds),
      'process, s': of((one) => one.process),
      ...(peaks ? { MB: of(({ peak }) => peak) } : {}),
    },
  };
}
