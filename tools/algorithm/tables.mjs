/**
 * The tables that compare all algorithms: rows are made one by one, so that a changed algorithm
 * changes only its own.
 */
import { relative } from 'node:path/posix';
import { catalogue } from '@conclave/algorithms';
import { vectorClocks } from '@conclave/core/internal/trace';
import { closedLoop, poisson, simulate, totalMessages } from '@conclave/core/simulation';
import { causalText, entryOrderOf, overtakingText, systemsText } from './entry-order.mjs';
import { fileOf, read } from './files.mjs';
import { listsBeside, sumText } from './mutants.mjs';
import { fixed, table } from './parts.mjs';
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

/** Of the systems in docs/verified.md in which everything holds, that with the most states. */
function largestVerified(id, verified = read('docs/verified.md')) {
  const systems = verified.split('\n').flatMap((line) => {
    const [, system = '', options, states, ...others] = line.split('|').map((cell) => cell.trim());
    const holds = system.startsWith(`${id} `) && !others.some((cell) => cell.includes('violated'));
    const what = `${system.replace(/^[^,]*, /, '')}, ${options}`;
    return holds ? [{ what, states: Number(states.replaceAll(',', '')) }] : [];
  });
  const [largest] = systems.sort((a, b) => b.states - a.states);
  return largest && `${largest.what}: ${largest.states.toLocaleString('en')}`;
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
