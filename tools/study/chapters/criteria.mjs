/** D5: the criteria of documents 002 and 003, each with a figure of all locks. */
import { Simulation } from '@conclave/core/simulation';
import { command, figure, fixed, listed, number, page, table } from '../evidence.mjs';
import { handled, linkedName, locks, measured, simulationOf } from '../locks.mjs';
import { dotPlot, families, familyOf, linePlot } from '../plots.mjs';
import { gini } from '../trees.mjs';

const n = 16;
/** Of each node, in the runs from which the table is. */
const entries = 16;
const wild = { kind: 'uniform', least: 1, most: 9 };
/** In the whole network, the mean time between two requests, if no node had to wait. */
const gaps = [100, 50, 20, 10, 5, 2, 1];
const memorySizes = [4, 16, 64];

export const chapter = {
  name: 'criteria',
  title: 'The criteria, one by one',
  about: `D5: messages, symmetry of the load, overtaking, synchronisation delay, response time and memory of all locks, on ${n} nodes.`,
  place: 3,
  jobs: ({ quick, seed }) =>
    locks.map((entry) => ({
      label: `${entry.id} ${entry.name}`,
      compute: () => {
        const { entry: _, ...figures } = figuresOf(entry, seed);
        return { ...figures, ...slowFiguresOf(entry, seed, quick, sizesOf(quick)) };
      },
    })),
  page: (figures, { quick, seed }) => {
    const sizes = sizesOf(quick);
    const rows = locks.map((entry, place) => ({ entry, ...figures[place] }));
    return { markdown: text(rows, { sizes, quick, seed }), files: plots(rows, sizes) };
  },
  sample: ({ seed }) =>
    locks
      .filter(({ id }) => ['A1', 'A7', 'A8', 'A12'].includes(id))
      .map((entry) => `| ${quickCells(figuresOf(entry, seed)).join(' | ')} |`),
};

const sizesOf = (quick) => (quick ? memorySizes.slice(0, 1) : memorySizes);

/** What two runs show, and what one shows whose messages take 1 to 9 ms. */
function figuresOf(entry, seed) {
  const [light, heavy] = ['light', 'heavy'].map((load) =>
    measured(entry, { n, load, entries, seed }),
  );
  const figures = ({ result, cost }) => ({
    messages: cost,
    gini: gini(handled(result)),
    wait: result.exclusion.meanWait,
  });
  return {
    ...{ entry, light: figures(light), heavy: figures(heavy), command: heavy.command },
    delay: heavy.result.exclusion.synchronisationDelay,
  };
}

/** What takes many runs, or looks at each step. */
function slowFiguresOf(entry, seed, quick, sizes) {
  const { order } = entry.make().channels;
  const seeds = Array.from({ length: quick ? 1 : 10 }, (_, index) => seed + index);
  const overtaken = seeds.map((seed) =>
    mostOvertaken(measured(entry, { n, load: 'heavy', entries, seed, delay: wild, order }).result),
  );
  const waits = (quick ? gaps.slice(-2) : gaps).map((gap) => {
    const think = { kind: 'exponential', mean: gap * n };
    const { exclusion } = measured(entry, {
      n,
      load: 'light',
      entries: 2 * entries,
      think,
      seed,
    }).result;
    return [100 / gap, exclusion.meanWait];
  });
  return {
    ...{ overtaken: Math.max(...overtaken), waits },
    memory: new Map(sizes.map((size) => [size, memoryOf(entry, size, seed)])),
  };
}

/** How many entries with a later request came before an entry, at most. */
function mostOvertaken({ exclusion: { entries } }) {
  const earlier = entries.map(
    ({ requestedAt, enteredAt }) =>
      entries.filter((other) => other.requestedAt > requestedAt && other.enteredAt < enteredAt)
        .length,
  );
  return Math.max(...earlier);
}

/** The bytes of the largest context of a node in a run, as JSON in UTF-8. */
function memoryOf(entry, size, seed) {
  const { options } = simulationOf(entry, { n: size, load: 'heavy', entries: 4, seed });
  const simulation = new Simulation(options);
  let most = 0;
  simulation.snapshots$.subscribe(({ context }) => {
    most = Math.max(most, Buffer.byteLength(JSON.stringify(context)));
  });
  simulation.run();
  return most;
}

const quickCells = ({ entry, light, heavy, delay }) => [
  linkedName(entry),
  ...[light.messages, heavy.messages, light.gini, heavy.gini, delay, light.wait, heavy.wait].map(
    (value) => fixed(value, 2),
  ),
];

const figures = {
  messages: 'Messages per entry of all locks, under light and heavy load',
  symmetry: 'Gini coefficient of the load of the nodes, for all locks, under light and heavy load',
  overtaking: 'How many later requests were served before an entry, at most, for all locks',
  delay: 'Synchronisation delay of all locks, under heavy load',
  response: 'Mean time from request to entry, by the load, for all locks',
  memory: 'The largest context of a node in bytes, for all locks and networks of several sizes',
};

function text(rows, { sizes, quick, seed }) {
  const head = [
    'messages, light',
    'heavy',
    'Gini, light',
    'heavy',
    'delay, ms',
    'wait, ms, light',
    'heavy',
    'overtaken',
    'bytes',
  ];
  const memory = Math.min(n, sizes.at(-1));
  const cells = rows.map((row) => [
    ...quickCells(row),
    row.overtaken,
    number(row.memory.get(memory)),
  ]);
  const shown = (name) => figure(`criteria-${name}.svg`, figures[name]);
  const lightest = (of, count = 4) =>
    listed(
      rows
        .toSorted((a, b) => of(a) - of(b))
        .slice(0, count)
        .map(({ entry }) => entry.make().title),
    );
  const inOrder = rows
    .filter(({ overtaken }) => overtaken === 0)
    .map(({ entry }) => entry.make().title);
  const twoRoles = rows
    .filter(({ entry }) => Object.keys(entry.make().roles).length > 1)
    .map(({ entry }) => entry.make().title);
  const even = rows.filter(({ heavy }) => heavy.gini < 0.02).length;
  const one = rows.filter(({ delay }) => delay < 1.05).map(({ entry }) => entry.id);
  const flat = rows.filter(({ memory }) => memory.get(sizes.at(-1)) < 1.5 * memory.get(sizes[0]));
  const slower = rows
    .filter(({ waits, heavy }) => waits.at(-1)[1] > heavy.wait)
    .map(
      ({ entry, waits, heavy }) =>
        `${entry.make().title} (${fixed(waits.at(-1)[1], 0)} in place of ${fixed(heavy.wait, 0)} ms)`,
    );
  return page(
    `The table shows all locks of the catalogue on ${n} nodes, each on its network, in one run under light and one run under heavy load, as in [Messages per entry](messages.md); a message and a stay in the critical section take 1 ms each. [The table of faults](faults.md) has one more criterion.`,
    table(['lock', ...head], cells),
    command(rows.find(({ entry }) => entry.id === 'A7').command),
    '## Messages',
    shown('messages'),
    `These locks need the fewest messages under light load: ${lightest(({ light }) => light.messages)}; under heavy load: ${lightest(({ heavy }) => heavy.messages)}.`,
    '## Symmetry of the load',
    shown('symmetry'),
    `All nodes run the same statechart, except in ${listed(twoRoles)}. The picture shows the symmetry of the load, as Gini's coefficient of the messages that nodes send and receive: 0 if all nodes have the same load, near 1 if one node has the whole load. Under heavy load ${even} of ${rows.length} locks stay below 0.02; in the others, the centre of a star, the sequencer of a group or the inner nodes of a tree have more.`,
    '## Overtaking',
    shown('overtaking'),
    `The picture shows the largest number of later requests that entered before an earlier request, under heavy load with messages of 1 to 9 ms, in ${quick ? 'one run' : '10 runs'}. ${inOrder.length > 0 ? `No request overtook another in ${listed(inOrder)}.` : ''} These are only some runs; [the explorer](../../packages/algorithms/README.md#mutual-exclusion-side-by-side) finds all possible orders.`,
    '## Synchronisation delay',
    shown('delay'),
    `The picture shows the mean time from an exit to the next entry while a node waits, under heavy load. It is one message delay or less for ${listed(one)}; A15 is below one, since nodes hold disjoint intervals at the same time.`,
    '## Response time',
    shown('response'),
    `The picture shows the mean time from request to entry, from light to heavy load. On the right each node pauses ${n} ms on average, so requests come as fast as the lock can serve them.${slower.length > 0 ? ` There, ${slower.length === 1 ? 'one lock is' : 'some locks are'} slower than under the heaviest load of the table, where all nodes request at once: ${listed(slower)}.` : ''}`,
    '## Memory per node',
    shown('memory'),
    `The picture shows the size of the largest context of a node in a run under heavy load, written as JSON: the memory of the statechart, with the names of its neighbours. The context hardly grows with the network for ${listed(flat.map(({ entry }) => entry.id))}. All runs have seed ${seed}.`,
  );
}

function plots(rows, sizes) {
  const dots = (name, valuesOf, x) =>
    dotPlot({
      ...{ title: figures[name], x },
      rows: rows.map((row) => ({ name: nameOf(row), values: valuesOf(row) })),
    });
  const both =
    (of) =>
    ({ light, heavy }) => ({ light: of(light), heavy: of(heavy) });
  const lines = rows.map((row) => ({
    ...{ id: row.entry.id, name: nameOf(row), family: familyOf(row.entry), points: row.waits },
  }));
  const byName = {
    messages: dots(
      'messages',
      both(({ messages }) => messages),
      { label: 'messages per entry (log scale) →', type: 'log' },
    ),
    symmetry: dots(
      'symmetry',
      both(({ gini }) => gini),
      { label: 'Gini coefficient of the messages that nodes handle →', domain: [0, 1] },
    ),
    overtaking: dots('overtaking', ({ overtaken }) => ({ heavy: overtaken }), {
      label: 'later requests served before, at most →',
      zero: true,
    }),
    delay: dots('delay', ({ delay }) => ({ heavy: delay }), {
      label: 'synchronisation delay, message delays →',
      zero: true,
    }),
    memory: dots(
      'memory',
      ({ memory }) => Object.fromEntries(sizes.map((size) => [`n = ${size}`, memory.get(size)])),
      { label: 'largest context, bytes of JSON (log scale) →', type: 'log' },
    ),
    response: linePlot({
      ...{ title: figures.response, lines, families },
      x: { label: 'offered load, requests per 100 ms (log scale) →', type: 'log' },
      y: { label: '↑ mean time from request to entry, ms (log scale)', type: 'log' },
    }),
  };
  return Object.fromEntries(
    Object.entries(byName).map(([name, svg]) => [`criteria-${name}.svg`, svg]),
  );
}

const nameOf = ({ entry }) => `${entry.id} ${entry.name}`;
