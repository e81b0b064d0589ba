/** What each algorithm passes whose problem has no contract of its own. */
import { measuredCost } from '@conclave/core/internal/simulation';
import type { Protocol } from '@conclave/core/protocol';
import { type Conditions, simulate, type Workload } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type Explored, everyInterleaving, type Mutant } from './explored.contract.js';
import { type SmallSystem, sharedContract } from './shared.contract.js';
import { conditionsFor, seedsTo, sweep } from './sweep.contract.js';

export interface ProblemContract {
  readonly protocol: Protocol;
  readonly topologies: readonly Topology[];
  readonly workload: () => Workload;
  /** Systems that together take every transition. */
  readonly small: readonly SmallSystem[];
  /** Systems small enough to explore every interleaving. */
  readonly explored: readonly Explored[];
  /** Known-wrong versions of the protocol, which the explorer must refute. */
  readonly mutants?: Readonly<Record<string, Mutant>>;
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

    costsItsFormula(protocol, topologies, workload, conditionsFor(protocol));

    everyInterleaving(protocol, explored, mutants);

    sharedContract(protocol, topologies, workload, small);
  });
}

/** Seeded runs, 1,000 of them in the proofs. `what` holds in them. */
export function holdsInSeededRuns(
  what: string,
  protocol: Protocol,
  topologies: readonly Topology[],
  workload: () => Workload,
): void {
  const kinds = topologies.length * conditionsFor(protocol).length;
  const all = seedsTo(Math.ceil(1000 / kinds));
  const seeds = sampled(all, Math.ceil(25 / kinds));
  const least = seeds === all ? 1000 : 25;
  it(`${what} in ≥ ${least.toLocaleString('en')} seeded runs under the conditions it assumes, and handles every message`, () => {
    const { runs, failure } = sweep({ protocol, topologies, workload, seeds });
    expect(failure).toBeUndefined();
    expect(runs).toBe(seeds.length * kinds);
    expect(runs).toBeGreaterThanOrEqual(least);
  });
}

export function costsItsFormula(
  protocol: Protocol,
  topologies: readonly Topology[],
  workload: () => Workload,
  allConditions: readonly Partial<Conditions>[],
): void {
  it('costs what its formula says', () => {
    for (const topology of topologies)
      for (const conditions of allConditions) {
        const result = simulate({ protocol, topology, workload: workload(), conditions });
        const measured = measuredCost(protocol, result);
        const bounds = protocol.cost?.messages(topology.nodes.length, topology);
        expect(measured).toBeGreaterThanOrEqual(bounds?.least ?? Infinity);
        expect(measured).toBeLessThanOrEqual(bounds?.most ?? -Infinity);
      }
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
