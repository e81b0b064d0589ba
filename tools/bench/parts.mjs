/**
 * What the benchmark measures, but for locks (parts/lock.mjs): each part runs the measurements of
 * `parts/*.run.mjs`, each in a process of its own, and makes rows of their results.
 */
import { freemem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { compiling, counts, hasSpin, spin } from './explore/reference.mjs';
import { figure, inFolder, measured, rowsInTurns, run } from './measured.mjs';

/** The keys of what steps.run.mjs measures, each with its row. */
const stepTools = {
  compiled: 'compile(machine)',
  byPlan: 'node step by plan, with the checks of the node contract',
  byXState: 'node step by XState, with the same checks',
  machine: 'machine.transition',
  transition: 'transition',
  actor: 'actor.send',
};

/**
 * One warm step of a node's machine: compiled, by `machine.transition` with a reused scope, by
 * XState's pure `transition`, by `actor.send`.
 */
export function steps({ runs, ...context }) {
  const tools = ['A3', 'A7', 'A5', 'B3'].map((name) => ({
    name,
    runs,
    measure: () => measured('steps.run.mjs', [name], ['--expose-gc']),
  }));
  return rowsInTurns(tools, context, (name, found) =>
    Object.entries(stepTools).map(([key, tool]) => ({
      system: `${name}, ${found[0].title}`,
      tool,
      figures: { µs: figure(found.map((one) => one[key])) },
    })),
  );
}

/**
 * The speed of the simulation. For comparison, the same process sends the same events to the same
 * number of actors of the same machine by bare `actor.send`, without a network; at a million nodes,
 * whose actors take 4 GB, it does not.
 */
export function simulate({ runs, quick, note, ...context }) {
  const systems = [
    { name: 'B3, ring of 1,000', args: ['ring', 1_000] },
    { name: 'B3, ring of 100,000', args: ['ring', 100_000] },
    ...(quick ? [] : [{ name: 'B3, ring of 1,000,000', args: ['ring', 1_000_000, 'alone'] }]),
    { name: 'A3, 50 nodes under load', args: ['lock', 50] },
  ];
  const flags = ['--expose-gc', `--max-old-space-size=${Math.floor((freemem() / 2 ** 20) * 0.8)}`];
  const tools = systems.map(({ name, args }) => ({
    name,
    runs,
    measure: () => measured('simulate.run.mjs', args, flags),
  }));
  return rowsInTurns(tools, context, (system, found) => {
    const of = (pick) => figure(found.map(pick));
    const { delivered, bare, host } = found[0];
    if (host && system === tools[0].name) note(`The ${host} host of the simulation ran.`);
    const beside = bare !== undefined && {
      'actor.send, µs': of((one) => (1e6 * one.bare) / one.delivered),
      'actor.send ÷ ours': of((one) => one.bare / one.simulated),
    };
    return {
      system,
      tool: 'simulate',
      messages: delivered,
      figures: {
        'µs a message': of((one) => (1e6 * one.simulated) / one.delivered),
        'messages a second': of((one) => one.delivered / one.simulated),
        ...beside,
        MB: of(({ peak }) => peak),
      },
    };
  });
}

/** What a search of N = 4 takes. */
const gigabytes = 12;

/**
 * The speed of the search beside SPIN and xstate/graph, on one reference model
 * (tools/bench/explore/) whose counts must agree.
 */
export const explore = ({ runs, quick, note, progress, failed }) =>
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

/**
 * A system of plain functions: two-phase commit of N resource managers, explored with one property,
 * beside a search that only keeps the JSON of each state in a map.
 */
export async function plain({ runs, quick, ...context }) {
  const rows = [];
  for (const count of quick ? [5] : [5, 6]) {
    const tools = ['exploreSystem', 'JSON.stringify and a Map'].map((name) => ({
      name,
      runs,
      measure: () => measured('plain.run.mjs', [name, count]),
    }));
    const found = await rowsInTurns(tools, context, (tool, results) => ({
      system: `N = ${count}`,
      tool,
      states: results[0].states,
      transitions: results[0].transitions,
      figures: {
        'search, s': figure(results.map(({ seconds }) => seconds)),
        MB: figure(results.map(({ peak }) => peak)),
      },
    }));
    rows.push(...found);
  }
  return rows;
}

const command = fileURLToPath(new URL('../../packages/cli/bin/conclave.js', import.meta.url));
/** Where the packages are found. */
const cwd = fileURLToPath(new URL('.', import.meta.url));
const check = ['check', 'A3', '--topology', 'complete:3'];

/**
 * From command to verdict in a new process: `conclave check`, beside SPIN's three commands on the
 * reference model of the same size. What such a process does in any case: Node itself, and what an
 * application imports.
 */
export const cold = ({ runs, note, ...context }) =>
  inFolder((folder) => {
    const node =
      (...args) =>
      () =>
        run(process.execPath, args, { cwd });
    const importing = (what) => ({
      name: `import ${what}`,
      measure: node('--input-type=module', '-e', `import ${what}`),
    });
    const starting = [
      { name: 'node -e 0', measure: node('-e', '0') },
      { name: 'conclave --version', measure: node(command, '--version') },
      importing("'xstate'; import 'rxjs'"),
      importing("{ lock } from '@conclave/coordination'"),
    ];
    const checking = [{ name: `conclave ${check.join(' ')}`, measure: node(command, ...check) }];
    const spin = `${compiling(3, 1, 'pan')} && ./pan -m10000`;
    if (hasSpin(folder, note))
      checking.push({
        name: 'spin -a, gcc -O3, run',
        measure: () => run('sh', ['-c', spin], { cwd: folder }),
      });
    return rowsInTurns(
      [...starting, ...checking].map((tool) => ({ ...tool, runs })),
      context,
      (tool, found) => ({
        system: checking.some(({ name }) => name === tool) ? 'N = 3, R = 1' : 'start',
        tool,
        figures: { 'process, s': figure(found.map(({ seconds }) => seconds)) },
      }),
    );
  });
