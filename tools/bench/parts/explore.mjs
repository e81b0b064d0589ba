/**
 * The speed of the search beside SPIN and xstate/graph, on one reference model
 * (tools/bench/explore/) whose counts must agree.
 */
import { freemem } from 'node:os';
import { counts, hasSpin, spin } from '../explore/reference.mjs';
import { figure, inFolder, measured, rowsInTurns } from '../measured.mjs';

const gigabytes = 12;

export const measure = ({ runs, quick, note, progress, failed }) =>
  inFolder(async (folder) => {
    const isSpinThere = hasSpin(folder, note);
    const rows = [];
    for (const { nodes, commands, beside = true, graph, once } of systems(quick, note)) {
      const system = `N = ${nodes}, R = ${commands}`;
      const times = once ? 1 : runs;
      const ours = (name, argument, flags) => ({
        name,
        measure: () => measured('explore.run.mjs', [argument, nodes, commands], flags),
      });
      const tools = [
        { ...ours('Conclave', 'conclave'), runs: times },
        ...(beside && isSpinThere ? [{ ...spin(folder, nodes, commands), runs: times }] : []),
        ...(graph
          ? [{ ...ours('xstate/graph', 'xstate/graph', ['--max-old-space-size=16000']), runs: 1 }]
          : []),
      ];
      const context = { progress: (text) => progress(`${system}, ${text}`), failed };
      const expected = counts[`${nodes}×${commands}`];
      rows.push(
        ...(await rowsInTurns(tools, context, (tool, found) =>
          rowOf(system, tool, found, expected, failed),
        )),
      );
    }
    return rows;
  });

/** `graph`: xstate/graph runs once, which takes minutes at R = 2. `once`: one run of each. */
function systems(quick, note) {
  const small = { nodes: 3, commands: 1, graph: true };
  if (quick) return [small, { nodes: 3, commands: 2 }];
  const fits = freemem() > gigabytes * 2 ** 30;
  if (!fits) note(`N = 4, R = 1 left out: it needs ${gigabytes} GB of free memory.`);
  return [
    small,
    { nodes: 3, commands: 2, graph: true },
    { nodes: 3, commands: 3 },
    ...(fits ? [{ nodes: 4, commands: 1, beside: false, once: true }] : []),
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
  const figures = {
    'search, s': of(({ seconds }) => seconds),
    'process, s': of((one) => one.process),
    MB: of(({ peak }) => peak),
  };
  return { system, tool, states, transitions, figures };
}
