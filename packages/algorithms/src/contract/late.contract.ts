/**
 * After late messages, all is well again. In a run messages take far longer than the time-outs for
 * a while, and none is lost; meanwhile a node crashes, and comes back where the protocol tolerates
 * it. Then messages keep their bounds, and after some time all must be well, and stay so.
 */
import { nodesAccepting } from '@conclave/core/internal';
import type { Command, NodeView, Protocol, SystemView } from '@conclave/core/protocol';
import { type Fault, Simulation, type Workload } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { sampled } from '@conclave/tools/sample';
import { deliveredBy } from '../groups/multicast.js';

/** When the last late message has arrived, and when the run ends, in virtual milliseconds. */
interface Times {
  readonly inTime: number;
  readonly until: number;
}

export interface LateRuns {
  readonly protocol: Protocol;
  readonly topology: Topology;
  readonly workload: (protocol: Protocol, times: Times) => Workload;
  /** Late messages take up to so many milliseconds. */
  readonly late: number;
  /** What happens to one node while messages are late. */
  readonly fault: 'none' | 'crash' | 'restart';
  /** So many milliseconds after the last late message all must be well. */
  readonly within: number;
  readonly isWell: (system: SystemView) => boolean;
  /** Whether each node that is up must enter its critical section after that. */
  readonly enters?: boolean;
}

/** Messages are sent late for so many times the longest delay; and all must stay well so long. */
const lateFor = 4;
const seeds = sampled([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 3);

/** The runs in which not all is well again: their seeds, and what is wrong. */
export const unwell = (runs: LateRuns): readonly string[] =>
  seeds.flatMap((seed) => wrongIn(runs, seed).map((wrong) => `seed ${seed}: ${wrong}`));

function wrongIn(runs: LateRuns, seed: number): readonly string[] {
  const { protocol, topology, late, within, isWell, enters = false } = runs;
  const inTime = (lateFor + 1) * late;
  const from = inTime + within;
  const until = from + lateFor * late;
  const simulation = new Simulation({
    ...{ protocol, topology, seed, properties: [] },
    workload: lasting(until, runs.workload(protocol, { inTime, until })),
    conditions: {
      order: protocol.channels.order,
      delay: { kind: 'uniform', least: 0, most: late },
    },
    faults: faultsOf(runs, seed),
    until: { time: until },
  });
  let unwellAt: number | undefined;
  simulation.snapshots$.subscribe(() => {
    const now = simulation.clock.now();
    if (now >= from && !isWell(simulation.system)) unwellAt ??= Math.round(now);
  });
  const { fault, exclusion } = simulation.run();
  const { system } = simulation;
  const mayEnter = nodesAccepting(protocol, topology, 'acquire');
  if (!isWell(system)) unwellAt ??= until;
  const lateEntries = exclusion.entries.filter(({ enteredAt }) => enteredAt >= from);
  const entered = new Set(lateEntries.map(({ node }) => node));
  const missing = system.nodes.filter(
    ({ id, crashed }) => enters && !crashed && mayEnter.includes(id) && !entered.has(id),
  );
  return [
    ...(fault === undefined ? [] : [fault]),
    ...(unwellAt === undefined ? [] : [`not well at ${unwellAt} ms`]),
    ...missing.map(({ id }) => `${id} does not enter`),
  ];
}

/** The crash of one node while messages are late, and the end of that. */
function faultsOf({ protocol, topology, late, fault }: LateRuns, seed: number): readonly Fault[] {
  const { time = 'untimed' } = protocol.channels;
  const [least, most] = time === 'untimed' ? [1, 100] : time.delay;
  const crash: Fault = {
    ...{ kind: 'crash', node: topology.nodes[seed % topology.nodes.length] ?? '' },
    at: (lateFor * late * (seed % 5)) / 5,
    ...(fault === 'restart' && { restartAfter: (late * (1 + (seed % 3))) / 2 }),
  };
  return [
    ...(fault === 'none' ? [] : [crash]),
    {
      ...{ kind: 'conditions', at: lateFor * late },
      change: { delay: { kind: 'uniform', least, most } },
    },
  ];
}

/** A run of a perpetual protocol ends with its last command. */
const lasting =
  (ms: number, workload: Workload): Workload =>
  (application) => {
    application.later({ kind: 'fixed', ms }, () => {});
    return workload(application);
  };

/** Each node that is up gets a command that it takes, every so many milliseconds, and at the end. */
const telling =
  (protocol: Protocol, type: string, each: number, last: number): Workload =>
  ({ nodes, examples, random, tell, later }) => {
    const takes = (node: NodeView) =>
      !node.crashed && protocol.commands[type]?.when?.(node) !== false;
    for (let at = last; at >= 0; at -= each)
      later({ kind: 'fixed', ms: at }, () => {
        for (const node of nodes) if (takes(node)) tell(node.id, random.pick(examples(type)));
      });
    return () => {};
  };

/** While messages are late, and for the last time when they have arrived. */
export const told =
  (type: Command['type']) =>
  (protocol: Protocol, { inTime }: Times): Workload =>
    telling(protocol, type, inTime / 10, inTime);

/** To the end, since what it needs may happen at any time. */
export const toldAlways =
  (type: Command['type'], each: number) =>
  (protocol: Protocol, { until }: Times): Workload =>
    telling(protocol, type, each, until);

/** Each node enters again and again, also one that has restarted. */
export const entering =
  (protocol: Protocol, { until }: Times): Workload =>
  ({ nodes, random, tell, later }) => {
    const isFree = ({ crashed, tags, role }: NodeView) =>
      protocol.roles[role]?.machine.events.includes('acquire') &&
      !crashed &&
      !tags.has('waiting') &&
      !tags.has('critical');
    for (let at = 0; at < until; at += 100 + random.below(100))
      later({ kind: 'fixed', ms: at }, () => {
        for (const node of nodes) if (isFree(node)) tell(node.id, { type: 'acquire' });
      });
    return (node) => {
      if (node.crashed || !node.tags.has('critical')) return;
      later({ kind: 'fixed', ms: 20 }, () => {
        if (node.tags.has('critical')) tell(node.id, { type: 'release' });
      });
    };
  };

/** Exactly one leader, whom all nodes that are up know. */
export const oneLeader = ({ nodes }: SystemView): boolean => {
  const up = nodes.filter(({ crashed }) => !crashed);
  const leaders = up.filter(({ tags }) => tags.has('leader'));
  return (
    leaders.length === 1 &&
    up.every(({ tags, context }) => tags.has('decided') && context.leader === leaders[0]?.id)
  );
};

export const oneInside = (system: SystemView): boolean => system.count('critical') <= 1;

/** All nodes that are up are members of one view, of exactly these nodes. */
export const oneGroup = ({ nodes }: SystemView): boolean => {
  const up = nodes.filter(({ crashed }) => !crashed);
  const members = up
    .map(({ id }) => id)
    .sort()
    .join();
  return up.every(
    ({ tags, context }) =>
      tags.has('member') &&
      [context.members].flat().join() === members &&
      context.number === up[0]?.context.number,
  );
};

/** No node suspects one that is up, and all suspect those that are down. */
export const accurate = ({ nodes }: SystemView): boolean => {
  const down = nodes
    .filter(({ crashed }) => crashed)
    .map(({ id }) => id)
    .join();
  return nodes.every(
    ({ crashed, context }) => crashed || [context.suspected].flat().join() === down,
  );
};

/** All members that are up have delivered the same messages, and some. */
export const sameMessages = ({ nodes }: SystemView): boolean => {
  const up = nodes.filter(({ crashed }) => !crashed);
  const sets = up.map((node) =>
    deliveredBy(node)
      .map(({ from, sequence }) => `${from} ${sequence}`)
      .sort()
      .join(),
  );
  return sets.every((set) => set !== '' && set === sets[0]);
};

/** All nodes that have joined have a place in one tree. */
export const oneTree = (system: SystemView): boolean =>
  system.count('waiting') === 0 &&
  system.tagged('attached').filter(({ context }) => context.parent === null).length === 1;
