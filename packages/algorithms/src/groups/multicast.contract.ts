import {
  alwaysEventually,
  type NodeId,
  type Property,
  type Protocol,
} from '@conclave/core/protocol';
import {
  type Conditions,
  oneShot,
  type SimulationResult,
  simulate,
  type Workload,
} from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type Explored, everyInterleaving, type Mutant } from '../contract/explored.contract.js';
import { type SmallSystem, sharedContract } from '../contract/shared.contract.js';
import { conditionsFor, seedsTo } from '../contract/sweep.contract.js';
import { type Command, deliveredBy } from './multicast.js';

/**
 * Uniform agreement, which is stronger than agreement: what a member delivered before its crash
 * counts as well.
 */
export const uniformAgreement: Property = alwaysEventually(
  'what any member has delivered, also one that crashed, all live members deliver eventually',
  ({ nodes }) =>
    nodes.every((node) =>
      deliveredBy(node).every(({ from, sequence }) =>
        nodes.every(
          (other) =>
            other.crashed ||
            deliveredBy(other).some((one) => one.from === from && one.sequence === sequence),
        ),
      ),
    ),
);

export interface MulticastContract {
  readonly protocol: Protocol;
  readonly topologies: readonly Topology[];
  readonly small: readonly SmallSystem[];
  /** Systems small enough to explore every interleaving. */
  readonly explored: readonly Explored[];
  /** Known-wrong versions of the protocol, which the explorer must refute. */
  readonly mutants?: Readonly<Record<string, Mutant>>;
  /** The conditions of the runs. Default: all that its assumptions allow. */
  readonly conditions?: readonly Partial<Conditions>[];
  /** Whether the members that live go on after the crash of the first one. Default true. */
  readonly survives?: boolean;
  /**
   * How long a run lasts, in virtual milliseconds, until all that it was to deliver has been
   * delivered. Default 20,000.
   */
  readonly settled?: number;
}

/** The messages per member in a run of the contract. */
const each = 3;

const multicast = (data: string): Command => ({ type: 'multicast', data });

/** Each member multicasts `each` messages, at random times within 500 ms. */
const chatter: Workload = ({ nodes, later, tell }) => {
  for (const { id } of nodes)
    for (let count = 1; count <= each; count++)
      later({ kind: 'uniform', least: 0, most: 500 }, () => tell(id, multicast(`${id}${count}`)));
  return () => {};
};

/** The conditions that a protocol tolerates, with loss and duplication if it tolerates these. */
function tolerated(
  { channels: { loss, duplication } }: Protocol,
  conditions: readonly Partial<Conditions>[],
): readonly Partial<Conditions>[] {
  return conditions.flatMap((plain) => [
    plain,
    ...(loss ? [{ ...plain, loss: 0.1 }] : []),
    ...(duplication ? [{ ...plain, duplication: 0.1 }] : []),
    ...(loss && duplication ? [{ ...plain, loss: 0.1, duplication: 0.1 }] : []),
  ]);
}

/** What each node has delivered, in order. */
export function deliveries(result: SimulationResult): ReadonlyMap<NodeId, readonly string[]> {
  const delivered = new Map<NodeId, string[]>();
  for (const { node, effects } of result.trace?.lines ?? [])
    for (const effect of effects)
      if (effect.kind === 'notify' && effect.call.startsWith('deliver('))
        delivered.set(node, [...(delivered.get(node) ?? []), effect.call]);
  return delivered;
}

const violated = (result: SimulationResult) =>
  result.properties.filter(({ verdict }) => verdict === 'violated');

/** What every reliable multicast must pass. */
export function multicastContract(given: MulticastContract): void {
  const { protocol, topologies, small, explored, mutants } = given;
  const { conditions = conditionsFor(protocol), survives = true, settled = 20_000 } = given;
  const allConditions = tolerated(protocol, conditions);
  const kinds = topologies.length * allConditions.length;
  const seeds = sampled(seedsTo(Math.ceil(100 / kinds)), 1);
  const runs = (
    judge: (run: Parameters<typeof simulate>[0], topology: Topology, seed: number) => void,
  ) => {
    for (const conditions of allConditions)
      for (const topology of topologies)
        for (const seed of seeds)
          judge(
            {
              protocol,
              topology,
              conditions,
              seed,
              workload: chatter,
              until: { time: settled },
              record: true,
            },
            topology,
            seed,
          );
  };

  describe(`${protocol.id} ${protocol.name}: reliable multicast`, () => {
    it('every member delivers every message, in up to 100 seeded runs under all conditions that it tolerates', () => {
      runs((run, { nodes }) => {
        const result = simulate(run);
        expect(violated(result)).toEqual([]);
        const delivered = deliveries(result);
        for (const id of nodes) {
          expect(delivered.get(id)).toHaveLength(each * nodes.length);
          expect(delivered.get(id)?.toSorted()).toEqual(delivered.get(nodes[0] ?? '')?.toSorted());
        }
      });
    });

    if (survives)
      it('the members that live deliver the same, all of their own messages among them, if one crashes at any time', () => {
        runs((run, { nodes }, seed) => {
          const [crashed = '', ...others] = nodes;
          const result = simulate({
            ...run,
            faults: [{ kind: 'crash', node: crashed, at: 37 * seed }],
          });
          expect(violated(result)).toEqual([]);
          const delivered = deliveries(result);
          const [first] = others;
          expect(delivered.get(first ?? '')?.length).toBeGreaterThanOrEqual(each * others.length);
          for (const id of others)
            expect(delivered.get(id)?.toSorted()).toEqual(delivered.get(first ?? '')?.toSorted());
        });
      });

    it('costs what its formula says, for each sender', () => {
      for (const topology of topologies) {
        const counts = topology.nodes.map((id) => {
          const workload = oneShot(multicast('x'), { nodes: [id] });
          const { messages } = simulate({ protocol, topology, workload, until: { time: settled } });
          const counted = Object.entries(messages).filter(
            ([type]) => protocol.cost?.of?.includes(type) ?? true,
          );
          return counted.reduce((sum, [, count]) => sum + count, 0);
        });
        const bounds = protocol.cost?.messages(topology.nodes.length, topology);
        expect({ least: Math.min(...counts), most: Math.max(...counts) }).toEqual(bounds);
      }
    });

    everyInterleaving(protocol, explored, mutants);

    sharedContract(protocol, topologies, () => chatter, small);
  });
}
