/** The locks of the catalogue under the loads of the study. */
import { catalogue } from '@conclave/algorithms';
import { measuredCost } from '@conclave/core/internal/simulation';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { grid } from '@conclave/core/topology';
import { isLock } from '../algorithm/tables.mjs';

export const locks = catalogue.filter(isLock);

export const lockOf = (id) => locks.find((entry) => entry.id === id);

/** `A3 Ricart–Agrawala`, linked to its page. */
export const linkedName = (entry) =>
  `[${entry.id} ${entry.make().title}](../../packages/algorithms/src/${entry.folder}/README.md)`;

/**
 * The network of `n` nodes for a protocol, as the command line writes it. Where any connected graph
 * will do, a grid: a random graph of 256 nodes has thousands of edges.
 */
export function networkOf(protocol, n) {
  if (!protocol.topology.name.startsWith('connected')) return protocol.topology.example(n);
  const rows = 2 ** Math.floor(Math.log2(n) / 2);
  return grid(rows, n / rows);
}

/** Of each node, so that in the whole network a request comes about every 100 + 4n ms. */
const thinkOf = (n) => n * (100 + 4 * n);

const usualHold = { kind: 'fixed', ms: 1 };

/**
 * The pause before a request. Light: two requests seldom meet, also where one takes n ms. Heavy: each
 * node requests again as soon as it has left.
 */
const thinks = {
  light: (n) => ({ kind: 'exponential', mean: thinkOf(n) }),
  heavy: () => ({ kind: 'fixed', ms: 0 }),
};

/** A delay as the command line writes it. */
const delayText = ({ kind, ...numbers }) => [kind, ...Object.values(numbers)].join(':');

/** What an entry of these costs depends on the entries before it. */
const remembering = ['A7', 'A8', 'A9'];

/**
 * How often each node enters: all together at least 64 times. Under heavy load so often that they
 * queue; where messages are of time and not of entries, not more than needed.
 */
export function entriesFor(entry, load, n) {
  const isOfTime = load === 'light' && entry.make().perpetual;
  const least = remembering.includes(entry.id) ? 16 : load === 'heavy' ? 4 : 2;
  return Math.max(isOfTime ? 1 : least, Math.ceil(64 / n));
}

/** A run of these on a larger network takes a minute and more. */
const largest = { A3c: 128, A5: 64, A6: 128, A13: 128, A18: 128, A19: 64 };

export const isMeasured = ({ id }, n) => n <= (largest[id] ?? Number.POSITIVE_INFINITY);

/**
 * A run of the lock `entry` on `n` nodes, or on `topology`, under `load`: what `simulate` takes, and
 * the command that repeats it.
 *
 * @param {object} run
 * @param {'light' | 'heavy'} run.load
 * @param {object} [run.think] in place of that of the load
 * @param {object} [run.hold] a stay in the critical section; default: 1 ms
 * @param {readonly string[]} [run.nodes] those that compete; default: all that can
 * @param {object} [run.options] of the lock
 */
export function simulationOf(entry, run) {
  const {
    n,
    load,
    seed,
    nodes,
    options = {},
    order = 'fifo',
    delay = { kind: 'fixed', ms: 1 },
    hold = usualHold,
  } = run;
  const { topology: network, entries = entriesFor(entry, load, n), think = thinks[load](n) } = run;
  const protocol = entry.make(options);
  const topology = network ?? networkOf(protocol, n);
  const given = {
    ...{ topology: topology.spec, delay: delayText(delay), entries },
    order: order === 'fifo' ? undefined : order,
    ...{ think: delayText(think), hold: delayText(hold), initiators: nodes?.join(',') },
    seed: seed === 1 ? undefined : seed,
  };
  const words = [
    ...Object.entries(options).map(([name, value]) => `--option ${name}=${value}`),
    ...Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : `--${name} ${value}`,
    ),
  ];
  return {
    options: {
      ...{ protocol, topology, seed, properties: [] },
      workload: closedLoop({ entries, think, hold, ...(nodes && { nodes }) }),
      conditions: { order, delay },
      until: { steps: 50_000_000 },
    },
    command: `npx conclave simulate ${entry.id} ${words.join(' ')}`,
  };
}

/** Its result, and what an entry has cost. @param {object} run as {@link simulationOf} takes it */
export function measured(entry, run) {
  const { options, command } = simulationOf(entry, run);
  const { protocol, topology } = options;
  const result = simulate(options);
  if (!result.complete)
    throw new Error(`${entry.id} on ${topology.spec} under ${run.load} load: ${result.ended}.`);
  return { result, network: topology, cost: measuredCost(protocol, result), command };
}

/** What each node sends and receives in a run, in the order of the nodes. */
export const handled = ({ load }) =>
  Object.values(load).map(({ sent, received }) => sent + received);
