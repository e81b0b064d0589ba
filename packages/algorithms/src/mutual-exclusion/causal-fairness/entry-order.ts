import { type Exploration, explore } from '@conclave/core/exploration';
import { overtaking } from '@conclave/core/internal/exploration';
import { nodesAccepting } from '@conclave/core/internal/protocol';
import type { Protocol } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { linesText } from '@conclave/core/trace';
import { requestsBefore, respectsHappenedBefore } from './respects-happened-before.js';

type Order = 'fifo' | 'any';
type CausalSize = Pick<CausalSystem, 'order' | 'competitors' | 'entries'>;

/**
 * A system in which entries are, or are not, in the order in which the requests happened before
 * each other.
 */
export interface CausalSystem {
  readonly order: Order;
  readonly network: string;
  readonly competitors: number;
  /** Of each node that competes. */
  readonly entries: number;
  readonly states: number;
  /** The lines of the shortest run against that order, if there is one. */
  readonly steps?: number;
}

/**
 * How often others enter while a node waits, at most: `[1, 2, 2]` with 1, 2 and 3 entries of each
 * node that competes.
 */
export interface OvertakingSystem {
  readonly network: string;
  readonly competitors: number;
  /** One other node. */
  readonly ofOne: readonly number[];
  /** All others together. */
  readonly ofAll: readonly number[];
  readonly states: readonly number[];
}

/** How a lock orders entries, as far as it was explored: docs/entry-order.json. */
export interface EntryOrder {
  readonly causal: readonly CausalSystem[];
  readonly overtaking: readonly OvertakingSystem[];
}

/** By the id of the lock. */
export type EntryOrders = Readonly<Record<string, EntryOrder>>;

/** The text of docs/entry-order.json. */
// tools/algorithm/generate.mjs writes it
export const entryOrdersIn = (text: string): EntryOrders => JSON.parse(text) as EntryOrders;

/** Larger systems are left out. */
const mostStates = { causal: 20_000, overtaking: 120_000, overtakingOfMore: 40_000 };

/**
 * Explores how a lock orders entries: 2 to 4 nodes compete; after a run against the causal order,
 * nothing larger is explored.
 */
export function entryOrderOf(lock: Protocol): EntryOrder {
  const { order } = lock.channels;
  const orders: readonly Order[] = order === 'any' ? ['any', 'fifo'] : ['fifo'];
  return {
    causal: orders.flatMap((each) => causalSystems(lock, each)),
    overtaking: overtakingSystems(lock),
  };
}

/** How many nodes can compete at least, and the entries of each. */
const causalSizes = [
  { nodes: 2, entries: 2 },
  { nodes: 3, entries: 1 },
  { nodes: 3, entries: 2 },
  { nodes: 4, entries: 1 },
  { nodes: 4, entries: 2 },
] as const;

/** After a system of more states, no larger network is explored. */
const mostBefore = 5_000;

function causalSystems(lock: Protocol, order: Order): readonly CausalSystem[] {
  const systems: CausalSystem[] = [];
  for (const { nodes, entries } of causalSizes) {
    const network = networkFor(lock, nodes);
    if (systems.some((known) => known.network === network.spec && known.entries === entries))
      continue;
    if (nodes > 3 && (systems.at(-1)?.states ?? 0) > mostBefore) break;
    const competitors = nodesAccepting(lock, network, 'acquire').length;
    const found =
      causalSystem(lock, network, { competitors, entries, order }, mostStates.causal) ??
      (entries === 1
        ? causalSystem(lock, network, { competitors: 2, entries, order }, mostStates.causal)
        : undefined);
    if (found) systems.push(found);
    if (found?.steps !== undefined) break;
  }
  return systems;
}

/** Undefined for a system with more than `limit` states. */
export function causalSystem(
  lock: Protocol,
  network: Topology,
  size: CausalSize,
  limit: number,
): CausalSystem | undefined {
  const { complete, states, properties } = judged(lock, network, size, limit);
  const { order, competitors, entries } = size;
  const [{ verdict, trace } = { verdict: 'incomplete' as const, trace: undefined }] = properties;
  if (verdict !== 'violated' && !complete) return undefined;
  return {
    order,
    network: network.spec,
    competitors,
    entries,
    states,
    ...(trace && { steps: trace.lines.length }),
  };
}

/**
 * The shortest run of a lock against the causal order in this system, as text; empty if there is
 * none.
 */
export function runAgainst(lock: Protocol, network: Topology, size: CausalSize): string {
  const { properties } = judged(lock, network, size, mostStates.causal);
  return linesText(properties[0]?.trace?.lines ?? []);
}

function judged(
  lock: Protocol,
  network: Topology,
  { competitors, entries, order }: CausalSize,
  limit: number,
): Exploration {
  return explore({ ...lock, history: requestsBefore }, network, {
    commands: entries,
    initiators: competing(lock, network, competitors),
    order,
    properties: [respectsHappenedBefore],
    limits: { states: limit },
    all: false,
  });
}

/** The nodes of a network, and how many of them compete; with up to so many entries each. */
const overtakingSizes = [
  { nodes: 2, competitors: 2, entries: 4, limit: mostStates.overtaking },
  { nodes: 3, competitors: 2, entries: 4, limit: mostStates.overtakingOfMore },
  { nodes: 3, competitors: 3, entries: 2, limit: mostStates.overtakingOfMore },
] as const;

function overtakingSystems(lock: Protocol): readonly OvertakingSystem[] {
  const systems: OvertakingSystem[] = [];
  for (const { nodes, competitors, entries, limit } of overtakingSizes) {
    const network = networkFor(lock, nodes);
    if (
      systems.some((known) => known.network === network.spec && known.competitors === competitors)
    )
      continue;
    const found = overtakingSystem(lock, network, competitors, entries, limit);
    if (found.states.length > 0) systems.push(found);
  }
  return systems;
}

/** With 1 to `entries` entries each, as long as a system has at most `limit` states. */
export function overtakingSystem(
  lock: Protocol,
  network: Topology,
  competitors: number,
  entries: number,
  limit: number,
): OvertakingSystem {
  const initiators = competing(lock, network, competitors);
  const found: { readonly ofOne: number; readonly ofAll: number; readonly states: number }[] = [];
  for (let commands = 1; commands <= entries; commands++) {
    const largest = overtaking(lock, network, { commands, initiators, limits: { states: limit } });
    if (!largest) break;
    found.push(largest);
  }
  return {
    network: network.spec,
    competitors,
    ofOne: found.map(({ ofOne }) => ofOne),
    ofAll: found.map(({ ofAll }) => ofAll),
    states: found.map(({ states }) => states),
  };
}

/** The first nodes that can compete, and the last one, which is farther away. */
function competing(lock: Protocol, network: Topology, competitors: number): readonly string[] {
  const able = nodesAccepting(lock, network, 'acquire');
  return [...able.slice(0, competitors - 1), ...able.slice(-1)];
}

/** The smallest network on which so many nodes can compete. */
export function networkFor(lock: Protocol, competitors: number): Topology {
  for (let nodes = competitors; ; nodes++) {
    const network = lock.topology.example(nodes);
    const fits = lock.topology.refuses(network) === undefined;
    if (fits && nodesAccepting(lock, network, 'acquire').length >= competitors) return network;
  }
}
