/** What each algorithm passes whose problem has no contract of its own. */
import { measuredCost } from '@conclave/core/internal/simulation';
import type { Protocol } from '@conclave/core/protocol';
import { simulate, type Workload } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type Explored, everyInterleaving, type Mutant } from './explored.contract.js';
import { hostsAgree, type SmallSystem } from './shared.contract.js';
import { conditionsFor, seedsTo, sweep } from './sweep.js';

export interface ProblemContract {
  readonly protocol: Protocol;
  readonly topologies: readonly Topology[];
  readonly workload: () => Workload;
  /** Systems that together take every transition. */
  readonly small: readonly SmallSystem[];
  /** Systems small enough to explore every interleaving. */
  readonly explored: readonly Explored[];
  /** Known-wrong versions of the protocol, which the explorer must refute. */
  readonly mutants: Readonly<Record<string, Mutant>>;
}

export function problemContract(given: ProblemContract): void {
  const { protocol, topologies, workload, small, explored, mutants } = given;
  describe(`${protocol.id} ${protocol.name}: ${protocol.problem}`, () => {
    it('keeps its properties in seeded runs under each condition it assumes, and handles every message', () => {
      const seeds = sampled(seedsTo(100), 5);
      // what may happen need not happen in each run
      const properties = protocol.properties.filter(({ kind }) => kind !== 'sometimes');
      const judged = { ...protocol, properties };
      const { runs, failure } = sweep({ protocol: judged, topologies, workload, seeds });
      expect(failure).toBeUndefined();
      expect(runs).toBe(seeds.length * topologies.length * conditionsFor(protocol).length);
    });

    it('costs what its formula says', () => {
      for (const topology of topologies)
        for (const conditions of conditionsFor(protocol)) {
          const result = simulate({ protocol, topology, workload: workload(), conditions });
          const measured = measuredCost(protocol, result);
          const bounds = protocol.cost?.messages(topology.nodes.length, topology);
          expect(measured).toBeGreaterThanOrEqual(bounds?.least ?? Infinity);
          expect(measured).toBeLessThanOrEqual(bounds?.most ?? -Infinity);
        }
    });

    everyInterleaving(protocol, explored, mutants);

    hostsAgree(protocol, topologies, workload, small);
  });
}

/** A run as on a page: without starts of nodes, and without starts and ends of timers. */
export const shownRun = (trace = ''): string =>
  trace
    .replaceAll(/,? ?(start|cancel) \w+\.\S+( \d+ms)?,?/g, '')
    .replaceAll(/ *⇒ *$/gm, '')
    .replaceAll(/timeout \w+\.\S+/g, 'timeout')
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, '  ').trim())
    .filter((line) => line !== '' && !/^(\S+ms +)?\S+ +start /.test(line))
    .join('\n');
