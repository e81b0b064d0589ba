import type { Protocol } from '../protocol/protocol.js';
import type { Topology } from '../topology/topology.js';

/**
 * How many steps a run without faults takes by the formula of its protocol, on average where it
 * says that, otherwise at most: each node starts, gets `commands` commands, and each message is
 * received. Undefined without a formula, for one without a bound or of a period, and on a network
 * that the protocol does not take.
 */
export function expectedSteps(
  { cost, topology: needed }: Protocol,
  topology: Topology,
  commands = 1,
): number | undefined {
  if (!cost || cost.per === 'period' || needed.refuses(topology)) return undefined;
  const nodes = topology.nodes.length;
  const messages = cost.average?.(nodes) ?? cost.messages(nodes, topology).most;
  const isOnce = cost.command === undefined && ['election', 'wave', 'run'].includes(cost.per);
  const steps = nodes * (1 + 2 * commands) + messages * (isOnce ? 1 : nodes * commands);
  return Number.isFinite(steps) ? Math.ceil(steps) : undefined;
}

/** The least default, and how many steps it allows for each node and for each link. */
const least = 10_000_000;
const forEach = 100;
/** Faults, a bad order of ids, and what a formula leaves out: that many times what it says. */
const reserve = 4;

/**
 * The steps after which a run ends by default that does not become quiescent: enough for a network
 * of this size, by the formula of the protocol where it has one. `commands`: how many each node
 * gets.
 */
export function defaultSteps(protocol: Protocol, topology: Topology, commands = 1): number {
  const { nodes, links } = topology;
  return Math.max(
    least,
    forEach * (nodes.length + links.length),
    reserve * (expectedSteps(protocol, topology, commands) ?? 0),
  );
}
