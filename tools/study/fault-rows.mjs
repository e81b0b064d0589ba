/** The rows and columns of the table of faults: which systems, and what may fail in them. */
import { catalogue } from '@conclave/algorithms';
import { nodesAccepting, optionalCommands } from '@conclave/core/internal/protocol';

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
  { name: 'duplication', title: 'doubled', faults: () => [{ budget: { duplications: 1 } }] },
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
export function isAssumed({ protocol }, { order, losses, duplications, crashes, restarts }) {
  const { channels, tolerates = [] } = protocol;
  if (order) return channels.order === 'any';
  if (losses) return channels.loss;
  if (duplications) return channels.duplication;
  return tolerates.includes(restarts ? 'restart' : 'crash') && crashes > 0;
}

/**
 * Who may start: all, or where that is too much to explore, two nodes; in an election also one. Of
 * a lock one alone has nobody to exclude.
 */
export function startersOf(row) {
  const { protocol, topology } = row;
  const [first] = optionalCommands(protocol);
  const nodes = first ? nodesAccepting(protocol, topology, first.type) : [];
  const few = (isOfLocks(row) ? [2] : [2, 1]).filter((count) => count < nodes.length);
  return [{}, ...few.map((count) => ({ initiators: nodes.slice(0, count) }))];
}

/** As a shell takes it. */
const quoted = (text) => (text.includes('!') ? `'${text}'` : text);

/** A budget as options of the command line. */
export function optionsText({
  losses,
  duplications,
  order,
  crashes,
  restarts,
  atomicSteps,
  mayCrash = [],
  initiators,
  commands,
}) {
  return [
    ...(losses ? ['--loss 1'] : []),
    ...(duplications ? ['--duplicate 1'] : []),
    ...(order ? ['--order any'] : []),
    ...(crashes ? ['--crash 1'] : []),
    ...(mayCrash.length > 0 ? [`--crash-in ${quoted(mayCrash.join(','))}`] : []),
    ...(atomicSteps ? ['--atomic-steps'] : []),
    ...(restarts ? ['--restart 1'] : []),
    ...(commands ? [`--entries ${commands}`] : []),
    ...(initiators ? [`--initiators ${initiators.join(',')}`] : []),
    '--unexpected discard',
  ].join(' ');
}
