/**
 * How a lock orders entries, explored: whether in the order in which the requests happened before
 * each other, and how often others enter while a node waits.
 */
import { explore } from '@conclave/core/exploration';
import { overtaking } from '@conclave/core/internal/exploration';
import { nodesAccepting } from '@conclave/core/internal/protocol';
import { linesText } from '@conclave/core/trace';
import { moduleOf } from './files.mjs';

const { requestsBefore, respectsHappenedBefore } = await moduleOf(
  'mutual-exclusion/causal-fairness/respects-happened-before',
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
export function entryOrderOf(lock) {
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
