/**
 * The tables that compare all algorithms: rows are made one by one, so that a changed algorithm
 * changes only its own.
 */
import { relative } from 'node:path/posix';
import { catalogue } from '@conclave/algorithms';
import { explore } from '@conclave/check';
import { overtaking } from '@conclave/check/internal';
import { nodesAccepting } from '@conclave/core/internal';
import { vectorClocks } from '@conclave/core/internal/trace';
import { closedLoop, poisson, simulate, totalMessages } from '@conclave/core/simulation';
import { linesText } from '@conclave/core/trace';
import { fileOf, fixed, moduleOf, read, table } from './files.mjs';
import { listsBeside, sumText } from './mutants.mjs';
import { electedInRandomOrders } from './random-orders.mjs';

/** The size of the network on which the costs of locks are measured, and that for elections. */
const [n, many] = [9, 16];

/** Every node thinks a hundred times as long as a message takes, or not at all. */
const hold = { kind: 'fixed', ms: 1 };
const loads = {
  light: poisson({ mean: 100 * n, entries: 20, hold }),
  heavy: closedLoop({ entries: 20, think: { kind: 'fixed', ms: 0 }, hold }),
};

const remarkOf = ({ remark }) => (remark ? `, ${remark}` : '');
/** What the literature says that it costs. */
const formulaOf = ({ cost }) => (cost ? `${cost.formula}${remarkOf(cost)}` : 'no cost given');

/** The locks; C6 is one of them with one more property. */
export const isLock = (entry) => entry.id !== 'C6' && entry.make().problem === 'mutual-exclusion';

const isElection = (entry) => entry.make().problem === 'election';

const linkFrom = (page, { folder }) => relative(`${page}/..`, fileOf(folder, 'README.md'));
const named = (entry, page) => `[${entry.id} ${entry.make().title}](${linkFrom(page, entry)})`;

/**
 * By the marker of the part that it stands in: its head; which algorithms it has; and the cells of a
 * row, for the page that has it.
 */
export const tables = {
  'npm run generate': {
    head: ['id', 'algorithm', 'problem', 'network', 'messages'],
    has: () => true,
    row: (entry, page) => {
      const { title, problem, topology, cost } = entry.make();
      const messages = cost ? `${cost.formula} per ${cost.per}${remarkOf(cost)}` : 'no cost given';
      return [entry.id, `[${title}](${linkFrom(page, entry)})`, problem, topology.name, messages];
    },
  },
  measured: {
    head: [
      'algorithm',
      'messages per entry',
      'light load',
      'heavy load',
      'synchronisation delay',
      'busiest node',
      'overtaken',
      'against happened-before',
      'causal order',
      'overtaking',
    ],
    has: isLock,
    row: measuredRow,
  },
  locks: {
    head: [
      'lock',
      'any order',
      'FIFO',
      'entries of one other, two nodes compete',
      'entries of one other / all others, three compete',
    ],
    has: isLock,
    row: orderRow,
  },
  elections: {
    head: [
      'algorithm',
      'network',
      'messages',
      'one node starts',
      'all nodes start',
      'message delays, one',
      'message delays, all',
    ],
    has: isElection,
    row: electionRow,
  },
  proved: {
    head: [
      'algorithm',
      'network',
      'channels',
      'by `npm run verify`',
      '[mutants noticed](../../docs/mutation.md)',
    ],
    has: () => true,
    row: provedRow,
  },
  verified: {
    head: ['algorithm', 'systems', 'states', 'broken', 'the largest that holds, with its states'],
    has: ({ id }) => verifiedOf(id).length > 0,
    row: verifiedRow,
  },
};

/**
 * A table for a page. Rows are taken from `before`, except those of `changed` and those that are not
 * there.
 *
 * @param {string} part a name in {@link tables}
 * @param {{ page: string, before: string, changed: readonly { id: string }[] }} given
 */
export async function tableText(part, { page, before, changed }) {
  const { head, has, row } = tables[part];
  const lines = before.split('\n');
  const rows = [];
  for (const entry of catalogue.filter(has)) {
    const isOf = (line) => line.startsWith(`| [${entry.id} `) || line.startsWith(`| ${entry.id} |`);
    const known = changed.some(({ id }) => id === entry.id) ? undefined : lines.find(isOf);
    rows.push(known?.slice(2, -2).split(' | ') ?? (await row(entry, page)));
  }
  return table(head, rows);
}

function measuredRow(entry, page) {
  const protocol = entry.make();
  const steady = { order: 'fifo', delay: { kind: 'fixed', ms: 1 } };
  const [light, heavy] = [run(protocol, loads.light, steady), run(protocol, loads.heavy, steady)];
  const order = entryOrderOf(protocol);
  return [
    named(entry, page),
    formulaOf(protocol),
    perEntry(light),
    perEntry(heavy),
    fixed(heavy.exclusion.synchronisationDelay, 2),
    busiest(heavy),
    ...servedInOrder(protocol),
    causalText(order),
    overtakingText(order),
  ];
}

/** What was explored of the order in which it serves requests. */
function orderRow(entry, page) {
  const protocol = entry.make();
  const { causal, overtaking } = entryOrderOf(protocol);
  const inOrder = (order) => systemsText(causal.filter((system) => system.order === order));
  const competing = (count, text) =>
    overtaking
      .filter(({ competitors }) => competitors === count)
      .map((system) => `${system.network}: ${system.ofOne.map(text(system)).join(', ')}`)
      .join('; ') || 'not explored';
  return [
    named(entry, page),
    protocol.channels.order === 'fifo' ? 'not allowed' : inOrder('any'),
    inOrder('fifo'),
    competing(2, () => String),
    competing(
      3,
      ({ ofAll }) =>
        (most, at) =>
          `${most} / ${ofAll[at]}`,
    ),
  ];
}

function electionRow(entry, page) {
  const protocol = entry.make();
  const network = protocol.topology.example(many);
  const elections = [1, many].map((starters) => electedInRandomOrders(protocol, network, starters));
  return [
    named(entry, page),
    network.spec,
    formulaOf(protocol),
    ...elections.map(({ messages }) => messages),
    ...elections.map(({ delays }) => delays),
  ];
}

function provedRow(entry, page) {
  const { channels, topology } = entry.make();
  const assumed = [
    channels.order === 'fifo' ? 'FIFO' : 'any order',
    channels.loss && 'loss allowed',
    channels.duplication && 'duplication allowed',
    channels.time && channels.time !== 'untimed' && 'bounded delays',
  ];
  return [
    named(entry, page),
    topology.name,
    assumed.filter(Boolean).join(', '),
    largestVerified(entry.id),
    sumText(Object.values(listsBeside(fileOf(entry.folder, 'README.md')))),
  ];
}

/** The systems of an algorithm that `npm run verify` has searched: docs/verified-systems.md. */
const verifiedOf = (id) =>
  read('docs/verified-systems.md')
    .split('\n')
    .filter((line) => line.startsWith(`| ${id} `))
    .map((line) => {
      const [, system, options, states] = line.split('|').map((cell) => cell.trim());
      const what = `${system.replace(/^[^,]*, /, '')}, ${options}`;
      return { what, states: Number(states.replaceAll(',', '')), fails: / violated/.test(line) };
    });

/** Of those in which everything holds, that with the most states. */
function largestVerified(id) {
  const systems = verifiedOf(id).filter(({ fails }) => !fails);
  const [largest] = systems.sort((a, b) => b.states - a.states);
  return largest && `${largest.what}: ${largest.states.toLocaleString('en')}`;
}

function verifiedRow(entry, page) {
  const systems = verifiedOf(entry.id);
  const states = systems.reduce((sum, one) => sum + one.states, 0).toLocaleString('en');
  const failing = systems.filter(({ fails }) => fails).length;
  return [named(entry, page), systems.length, states, failing || '–', largestVerified(entry.id)];
}

const run = (protocol, workload, conditions, record = false) =>
  simulate({ protocol, topology: protocol.topology.example(n), workload, conditions, record });

const perEntry = (result) => fixed(totalMessages(result) / result.exclusion.entries.length, 2);

/** The messages of the busiest node, in times of what a node sends and receives on average. */
function busiest({ load }) {
  const counts = Object.values(load).map(({ sent, received }) => sent + received);
  const sum = counts.reduce((total, count) => total + count, 0);
  return fixed((Math.max(...counts) * counts.length) / sum, 2);
}

const percent = (part, whole) =>
  whole === 0 ? undefined : `${((100 * part) / whole).toFixed(1)} %`;

/**
 * How entries are ordered under heavy load, where messages take 1 to 9 ms: the share of entries
 * before which a later request was served, and the share before which one was served that had
 * happened after it (Lamport's happened-before, by vector clocks).
 */
function servedInOrder(protocol) {
  const delay = { kind: 'uniform', least: 1, most: 9 };
  const conditions = { order: protocol.channels.order, delay };
  const { exclusion, trace } = run(protocol, loads.heavy, conditions, true);
  const clocks = vectorClocks(trace);
  const requests = new Map(
    trace.lines.flatMap(({ time, node, event }, index) =>
      event.kind === 'command' && event.call.startsWith('acquire')
        ? [[`${node} ${time}`, { node, clock: clocks[index] }]]
        : [],
    ),
  );
  /** By node: how many of its steps are in the past of some request that was served so far. */
  const past = new Map();
  const against = exclusion.entries.filter((entry) => {
    const { node, clock } = requests.get(`${entry.node} ${entry.requestedAt}`);
    const isPassed = (past.get(node) ?? 0) >= clock[node];
    for (const [id, steps] of Object.entries(clock))
      past.set(id, Math.max(past.get(id) ?? 0, steps));
    return isPassed;
  });
  const { entries, overtaken } = exclusion;
  return [percent(overtaken, entries.length), percent(against.length, entries.length)];
}

// How a lock orders entries, explored: whether in the order in which the requests happened before
// each other, and how often others enter while a node waits.

const { requestsBefore, respectsHappenedBefore } = await moduleOf(
  'mutual-exclusion/causal-fairness/causal-fairness',
);

/** Larger systems are left out. */
const mostStates = { causal: 20_000, overtaking: 120_000, overtakingOfMore: 40_000 };
/** After a system of more states, no larger network is explored. */
const mostBefore = 5_000;

/** How many nodes can compete at least, and the entries of each. */
const causalSizes = [
  { nodes: 2, entries: 2 },
  { nodes: 3, entries: 1 },
  { nodes: 3, entries: 2 },
  { nodes: 4, entries: 1 },
  { nodes: 4, entries: 2 },
];

/** The nodes of a network, and how many of them compete; with up to so many entries each. */
const overtakingSizes = [
  { nodes: 2, competitors: 2, entries: 4, limit: mostStates.overtaking },
  { nodes: 3, competitors: 2, entries: 4, limit: mostStates.overtakingOfMore },
  { nodes: 3, competitors: 3, entries: 2, limit: mostStates.overtakingOfMore },
];

/** By id: two tables show it. */
const explored = new Map();

/** After a run against the causal order, nothing larger is explored. */
function entryOrderOf(lock) {
  const orders = lock.channels.order === 'any' ? ['any', 'fifo'] : ['fifo'];
  const order = explored.get(lock.id) ?? {
    causal: orders.flatMap((each) => causalSystems(lock, each)),
    overtaking: overtakingSystems(lock),
  };
  explored.set(lock.id, order);
  return order;
}

function causalSystems(lock, order) {
  const systems = [];
  for (const { nodes, entries } of causalSizes) {
    const network = networkFor(lock, nodes);
    if (systems.some((known) => known.network === network.spec && known.entries === entries))
      continue;
    if (nodes > 3 && (systems.at(-1)?.states ?? 0) > mostBefore) break;
    const all = nodesAccepting(lock, network, 'acquire').length;
    const search = (competitors) => causalSystem(lock, network, { competitors, entries, order });
    const system = search(all) ?? (entries === 1 ? search(2) : undefined);
    if (system) systems.push(system);
    if (system?.steps) break;
  }
  return systems;
}

/** `steps`: the lines of the shortest run against that order. Undefined for too large a system. */
function causalSystem(lock, network, size) {
  const { complete, states, properties } = judged(lock, network, size);
  const [{ verdict, trace } = {}] = properties;
  if (verdict !== 'violated' && !complete) return undefined;
  return { ...size, network: network.spec, states, ...(trace && { steps: trace.lines.length }) };
}

/** The shortest run of a lock against the causal order, as text; empty if there is none. */
export const runAgainst = (lock, network, size) =>
  linesText(judged(lock, network, size).properties[0]?.trace?.lines ?? []);

const judged = (lock, network, { competitors, entries, order }) =>
  explore({ ...lock, history: requestsBefore }, network, {
    commands: entries,
    initiators: competing(lock, network, competitors),
    order,
    properties: [respectsHappenedBefore],
    limits: { states: mostStates.causal },
    all: false,
  });

/** `[1, 2, 2]` with 1, 2 and 3 entries of each: of one other node, and of all others together. */
function overtakingSystems(lock) {
  const systems = [];
  for (const { nodes, competitors, entries, limit } of overtakingSizes) {
    const network = networkFor(lock, nodes);
    const isKnown = (known) => known.network === network.spec && known.competitors === competitors;
    if (systems.some(isKnown)) continue;
    const initiators = competing(lock, network, competitors);
    const largest = [];
    for (let commands = 1; commands <= entries; commands++) {
      const budget = { commands, initiators, limits: { states: limit } };
      const one = overtaking(lock, network, budget);
      if (!one) break;
      largest.push(one);
    }
    const [ofOne, ofAll] = [largest.map((one) => one.ofOne), largest.map((one) => one.ofAll)];
    if (largest.length > 0) systems.push({ network: network.spec, competitors, ofOne, ofAll });
  }
  return systems;
}

/** The first nodes that can compete, and the last one, which is farther away. */
function competing(lock, network, competitors) {
  const able = nodesAccepting(lock, network, 'acquire');
  return [...able.slice(0, competitors - 1), ...able.slice(-1)];
}

/** The smallest network on which so many nodes can compete. */
function networkFor(lock, competitors) {
  for (let nodes = competitors; ; nodes++) {
    const network = lock.topology.example(nodes);
    const fits = lock.topology.refuses(network) === undefined;
    if (fits && nodesAccepting(lock, network, 'acquire').length >= competitors) return network;
  }
}

const notExplored = 'not explored';

/** `yes`, or the length of the shortest run that does not follow it; with FIFO, if that differs. */
export function causalText({ causal }) {
  const [first] = causal;
  if (!first) return notExplored;
  const shortest = (order) => causal.find((one) => one.order === order && one.steps)?.steps;
  const steps = shortest(first.order);
  if (steps === undefined) return 'yes';
  const no = `no, ${steps} steps`;
  if (first.order === 'fifo' || shortest('fifo') !== undefined) return no;
  return `${no}; with FIFO ${causal.some(({ order }) => order === 'fifo') ? 'yes' : notExplored}`;
}

/** `grows` if one node enters more often with each entry that it may make; else how often at most. */
export function overtakingText({ overtaking }) {
  const most = overtakingSizes[0].entries; // a series with fewer entries decides nothing
  const full = overtaking.filter(
    ({ competitors, ofOne }) => competitors === 2 && ofOne.length === most,
  );
  if (full.length === 0) return notExplored;
  return full.some(({ ofOne }) => ofOne.at(-1) !== ofOne.at(-2))
    ? 'grows'
    : String(Math.max(...full.map(({ ofOne }) => ofOne.at(-1))));
}

/** The shortest run against the causal order, or the systems that have none. */
export function systemsText(systems) {
  const text = ({ network, competitors, entries }) => `${network}, ${competitors} × ${entries}`;
  const against = systems.find(({ steps }) => steps);
  if (against) return `**no**: ${text(against)}: ${against.steps} steps`;
  if (systems.length === 0) return notExplored;
  const all = systems.map((one) => `${text(one)} (${one.states.toLocaleString('en')})`);
  return `yes: ${all.join('; ')}`;
}
