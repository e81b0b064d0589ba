import { idleFor } from '@conclave/core/internal/simulation';
import type { Protocol } from '@conclave/core/protocol';
import { simulate, totalMessages } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type Explored, everyInterleaving, type Mutant } from '../contract/explored.contract.js';
import { type SmallSystem, sharedContract } from '../contract/shared.contract.js';
import { conditionsFor, seedsTo } from '../contract/sweep.contract.js';

export interface FailureDetectionContract {
  readonly protocol: Protocol;
  /** The time between two heartbeats, in milliseconds. */
  readonly period: number;
  /** The longest detection time. */
  readonly detection: number;
  readonly topologies: readonly Topology[];
  readonly small: readonly SmallSystem[];
  /** Systems small enough to explore every interleaving. */
  readonly explored: readonly Explored[];
  /** Known-wrong versions of the protocol, which the explorer must refute. */
  readonly mutants?: Readonly<Record<string, Mutant>>;
}

/** What every failure detector must pass that is perfect within its bounds. */
export function failureDetectionContract(given: FailureDetectionContract): void {
  const { protocol, period, detection, topologies, small, explored, mutants } = given;
  describe(`${protocol.id} ${protocol.name}: failure detection`, () => {
    it('every live node suspects the crashed one, and no other, in up to 100 seeded runs under each condition it assumes', () => {
      for (const conditions of conditionsFor(protocol))
        for (const topology of topologies)
          for (const seed of sampled(seedsTo(Math.ceil(100 / topologies.length)), 2)) {
            const [node = ''] = topology.nodes;
            const suspected = new Map<string, readonly string[]>();
            const at = 300 + 7 * seed;
            const run = {
              protocol,
              topology,
              conditions,
              seed,
              faults: [{ kind: 'crash', node, at, inside: false }],
              record: true,
            } as const;
            const { properties, trace } = simulate({
              ...run,
              workload: idleFor(at + detection + 1),
            });
            expect(properties.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
            for (const { node: by, effects } of trace?.lines ?? [])
              for (const effect of effects)
                if (effect.kind === 'notify')
                  suspected.set(by, [...(suspected.get(by) ?? []), effect.call]);
            const others = topology.nodes.slice(1);
            expect([...suspected]).toHaveLength(others.length);
            for (const by of others) expect(suspected.get(by)).toEqual([`suspect(${node})`]);
          }
    });

    it('costs what its formula says', () => {
      for (const topology of topologies)
        for (const periods of [1, 2, 7]) {
          const result = simulate({
            protocol,
            topology,
            workload: idleFor((periods - 0.5) * period),
          });
          const bounds = protocol.cost?.messages(topology.nodes.length, topology);
          expect(bounds?.least).toBe(bounds?.most);
          expect(totalMessages(result)).toBe(periods * (bounds?.most ?? 0));
        }
    });

    everyInterleaving(protocol, explored, mutants);

    sharedContract(protocol, topologies, () => idleFor(5 * period), small);
  });
}
