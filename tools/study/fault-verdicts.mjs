/** What one fault does to one system: explored, with messages discarded that no state handles. */

import { catalogue } from '@conclave/algorithms';
import { explore } from '@conclave/check';
import { noDeadlock } from '@conclave/check/internal';
import { faults, nodesAccepting, noStepFails, optionalCommands } from '@conclave/core/internal';
import { alwaysEventually } from '@conclave/core/protocol';
import { linkText } from '@conclave/studio/link';

/** More is not explored: then fewer nodes start, and last the cell says that it is not decided. */
export const mostStates = 500_000;

/** With two commands each, these take minutes: nearly every step of a node is a new one. */
const onceOnly = ['A18'];

/** What the problems say that must never happen, by the names of the properties. */
export const safety = [
  'at most one node is in the critical section',
  'at most one node is in the critical section with a token of each epoch',
  'no two nodes hold conflicting intervals at once',
  'no two neighbours are in their critical sections at once',
  'no two appointments that share a participant are held at once',
  'at most one node is the leader',
  'at most one node is the leader of each term',
  'all nodes that know a leader know the same one',
  'all nodes that know a leader of the same term know the same one',
  'all nodes that know the leader of a term know the same one',
  'all nodes that know a live leader know the same one',
  'a node has terminated while another one does not know the leader',
  'the initiator is done only after every node has been reached',
];
/** And what must happen. */
export const liveness = [
  'every node that wants to enter eventually enters',
  'every live node knows the one leader',
  'every live node knows the one leader, or a node has crashed',
  'every live node knows the one leader of the latest term',
  'a node that holds an election eventually knows a leader',
  'every node that waits eventually knows a leader',
  'the node that announces the leader terminates',
  'every node is reached, and the initiator is done',
];

/** Where a node may restart, it need not: a run in which it stays down is not held against it. */
const served = ({ nodes }) =>
  alwaysEventually(
    'again and again no node waits, or a node is down',
    (system) => system.live < nodes.length || system.count('waiting') === 0,
  );

/** The properties of a row that are judged under a fault. */
function propertiesOf({ protocol, topology }, { restarts }) {
  const named = (names) => protocol.properties.filter(({ name }) => names.includes(name));
  const must = restarts ? [served(topology)] : named(liveness);
  const never = named(safety);
  if (never.length === 0) throw new Error(`${protocol.name}: no property says what is unsafe.`);
  return { never, must };
}

const explored = new Map();

function exploreWith(row, budget) {
  const key = JSON.stringify([row.key, budget]);
  const known = explored.get(key);
  if (known) return known;
  const { protocol, topology } = row;
  const { never, must } = propertiesOf(row, budget);
  const { states, properties, discarded, tick } = explore(protocol, topology, {
    ...budget,
    properties: [...never, ...must],
    unexpected: 'discard',
    limits: { states: mostStates },
  });
  const found = { states, discarded, tick, ...judged(properties, never, must) };
  explored.set(key, found);
  return found;
}

/** The mark of a cell, and the run that shows it. */
function judged(findings, never, must) {
  const among = (properties, ...names) =>
    findings.filter(
      ({ name }) => properties.some((one) => one.name === name) || names.includes(name),
    );
  const length = ({ trace }) => trace.lines.length;
  /** The one with the shortest run. */
  const violated = (some) =>
    some
      .filter(({ verdict }) => verdict === 'violated')
      .toSorted((one, other) => length(one) - length(other))[0];
  const isOpen = (some) => some.some(({ verdict }) => verdict === 'incomplete');
  const [unsafe, fails, stuck] = [
    violated(among(never)),
    violated(among([], noStepFails)),
    violated(among(must, noDeadlock)),
  ];
  if (unsafe) return { mark: '✗', run: unsafe };
  if (fails) return { mark: '!', run: fails };
  if (isOpen(among(never))) return stuck ? { mark: '○?', run: stuck } : { mark: '…' };
  if (stuck) return { mark: '○', run: stuck };
  return { mark: isOpen(among(must, noDeadlock)) ? '…' : '✓' };
}

const isDecided = ({ mark }) => ['✓', '○', '✗', '!'].includes(mark);

/**
 * What is explored of a cell: one command for each node that starts; of a lock that stands the fault
 * so, two. `once`: two are too many to explore.
 */
function searchOf(row, budget) {
  const starters = startersOf(row);
  const sizes = starters
    .map((start) => ({ start, all: { ...start, ...budget } }))
    // what is too large without a fault is not explored with one
    .filter(({ start }, at) => at === starters.length - 1 || isDecided(exploreWith(row, start)));
  const first = sizes.find(({ all }) => isDecided(exploreWith(row, all))) ?? sizes.at(-1);
  const once = { ...first, found: exploreWith(row, first.all) };
  if (once.found.mark !== '✓' || !isOfLocks(row)) return once;
  if (onceOnly.includes(row.entry.id)) return { ...once, once: true };
  for (const { start, all } of sizes.slice(sizes.indexOf(first))) {
    const twice = { commands: 2, ...all };
    if (!isDecided(exploreWith(row, { commands: 2, ...start }))) continue;
    const found = exploreWith(row, twice);
    if (isDecided(found)) return { start, all: twice, found };
  }
  return { ...once, once: true };
}

/**
 * A cell of the table.
 *
 * @returns {{ mark: string, who?: string, steps?: number, link?: string, command: string, states:
 * number, property?: string, few?: readonly string[], once?: boolean, isAssumed: boolean, discarded: readonly object[]
 * }} `mark`: · if the fault cannot happen. `few`: those that start, where not all do. `steps`: of the
 * run that shows it, which `link` opens
 */
export function cellOf(row, { budget, who }) {
  const { protocol, topology, words } = row;
  const command = (all) =>
    `npx conclave check ${words} --topology ${topology.spec} ${optionsText(all)}`;
  const common = { who, isAssumed: isAssumed(row, budget) };
  if (isRefused(row, budget))
    return { ...common, mark: '·', command: command(budget), states: 0, discarded: [] };
  const { start, all, found, once } = searchOf(row, budget);
  const isIdle =
    budget.mayCrash &&
    exploreWith(row, { ...start, ...budget }).states === exploreWith(row, start).states;
  return {
    ...common,
    ...{ once, states: found.states, discarded: found.discarded, few: start.initiators },
    mark: isIdle ? '·' : found.mark,
    command: command(all),
    ...(found.run && {
      property: found.run.name,
      steps: found.run.trace.lines.length,
      link: linkOf(protocol, topology, all, found),
    }),
  };
}

/** The row without a fault. */
export const soundOf = (row) => cellOf(row, { budget: {} });

/** A network that reports crashes loses and doubles nothing. */
const isRefused = ({ protocol }, { losses, duplications }) =>
  protocol.crashNotice !== undefined && (losses || duplications);

/** The part behind # of a link to the studio. */
function linkOf({ name, options = {}, channels }, { spec }, budget, { run, tick }) {
  const { time } = channels;
  return linkText({
    setup: {
      ...{ protocol: name, options, topology: spec },
      budget: {
        ...budget,
        ...(budget.order === channels.order && { order: undefined }),
        unexpected: 'discard',
        ...(tick && { time: { ...time, tick } }),
      },
    },
    view: 'world',
    steps: run.steps,
    ...(run.loopsFromStep !== undefined && { loopsFrom: run.loopsFromStep }),
  });
}

// The rows and columns of the table of faults: which systems, and what may fail in them.

const problems = ['mutual-exclusion', 'local-exclusion', 'election', 'wave'];

/** Options that make a row: B12 solves the election problem only with this one. */
const usual = { B12: { terminating: true } };
/** What a document proposes against faults, as rows of their own. */
const variants = { A3: { acknowledged: true }, B2: { acknowledged: true } };

const rowOf = (entry, options = {}) => {
  const protocol = entry.make(options);
  const given = Object.keys(options).map((name) => `--option ${name}`);
  return {
    entry,
    key: [entry.id, ...Object.keys(options).filter(() => usual[entry.id] !== options)].join(' '),
    protocol,
    topology: protocol.topology.example(3),
    words: [entry.id, ...given].join(' '),
  };
};

/** C6 is a lock with one more property. */
export const rows = catalogue
  .filter((entry) => entry.id !== 'C6' && problems.includes(entry.make().problem))
  .flatMap((entry) => [
    rowOf(entry, usual[entry.id]),
    ...(variants[entry.id] ? [rowOf(entry, variants[entry.id])] : []),
  ]);

export const isOfLocks = ({ protocol }) => protocol.problem.endsWith('exclusion');

const tagsOf = ({ roles }) =>
  new Set(
    Object.values(roles).flatMap(({ machine }) =>
      [...machine.idMap.values()].flatMap((state) => state.tags),
    ),
  );

/** The tags and roles of nodes with a task of their own, and how the table calls them. */
const special = {
  coordinator: 'coordinator',
  representative: 'representative',
  initiator: 'initiator',
  token: 'token holder',
  'within:token': 'token holder',
  leader: 'leader',
};
const busy = ['waiting', 'critical', 'decided', 'reached', ...Object.keys(special)];

const inState = (places) => ({ crashes: 1, atomicSteps: true, mayCrash: places });

/** The columns: each has the faults that a protocol may meet there, at most one of each. */
export const columns = [
  { name: 'loss', title: 'a message lost', faults: () => [{ budget: { losses: 1 } }] },
  { name: 'duplication', title: 'duplicated', faults: () => [{ budget: { duplications: 1 } }] },
  { name: 'order', title: 'any order', faults: () => [{ budget: { order: 'any' } }] },
  {
    name: 'idle',
    title: 'crash while idle',
    faults: (has) => [{ budget: inState(busy.filter(has).map((place) => `!${place}`)) }],
  },
  {
    name: 'waiting',
    title: 'waiting',
    faults: () => [{ budget: inState(['waiting']) }],
  },
  {
    name: 'inside',
    title: 'inside',
    faults: (has) => (has('critical') ? [{ budget: inState(['critical']) }] : []),
  },
  {
    name: 'special',
    title: 'of the coordinator, token holder, leader',
    faults: (has) =>
      Object.entries(special).flatMap(([place, who]) =>
        has(place) ? [{ who, budget: inState([place]) }] : [],
      ),
  },
  {
    name: 'step',
    title: 'anywhere, also inside a step',
    faults: () => [{ budget: { crashes: 1 } }],
  },
  {
    name: 'restart',
    title: 'with a restart',
    faults: () => [{ budget: { crashes: 1, restarts: 1 } }],
  },
];

/** The faults of a column that this protocol can meet. */
export function faultsIn(column, { protocol }) {
  const tags = tagsOf(protocol);
  return column.faults((place) => tags.has(place) || Object.hasOwn(protocol.roles, place));
}

/** Whether a protocol says itself that it stands this fault. */
function isAssumed({ protocol }, { order, ...budget }) {
  if (order) return protocol.channels.order === 'any';
  const last = faults.faultNames.findLast((name) => budget[name]); // what crashed restarts
  return last !== undefined && last !== 'partitions' && faults.tolerated(protocol, last) > 0;
}

/**
 * Who may start: all, or where that is too much to explore, two nodes; in an election also one. Of
 * a lock one alone has nobody to exclude.
 */
function startersOf(row) {
  const { protocol, topology } = row;
  const [first] = optionalCommands(protocol);
  const nodes = first ? nodesAccepting(protocol, topology, first.type) : [];
  const few = (isOfLocks(row) ? [2] : [2, 1]).filter((count) => count < nodes.length);
  return [{}, ...few.map((count) => ({ initiators: nodes.slice(0, count) }))];
}

/** As a shell takes it. */
const quoted = (text) => (text.includes('!') ? `'${text}'` : text);

/** A budget as options of the command line. */
function optionsText({ order, atomicSteps, mayCrash = [], initiators, commands, ...budget }) {
  const happening = faults.faultNames.filter((name) => budget[name]);
  return [
    ...happening.map((name) => `--${faults.kinds[name].option} 1`),
    ...(order ? ['--order any'] : []),
    ...(mayCrash.length > 0 ? [`--crash-in ${quoted(mayCrash.join(','))}`] : []),
    ...(atomicSteps ? ['--atomic-steps'] : []),
    ...(commands ? [`--entries ${commands}`] : []),
    ...(initiators ? [`--initiators ${initiators.join(',')}`] : []),
    '--unexpected discard',
  ].join(' ');
}
