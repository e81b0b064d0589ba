import { measuredCost } from '@conclave/core/internal/simulation';
import type { NodeId, Protocol } from '@conclave/core/protocol';
import { oneShot, simulate, type Workload } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { quickOf, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type Explored, everyInterleaving, type Mutant } from '../contract/explored.contract.js';
import { hostsAgree, type SmallSystem } from '../contract/shared.contract.js';
import { conditionsFor, fault, seedsTo, sweep } from '../contract/sweep.js';
import { heldAgain } from './again.contract.js';

export interface ElectionContract {
  readonly protocol: Protocol;
  readonly topologies: readonly Topology[];
  readonly small: readonly SmallSystem[];
  /** Systems small enough to explore every interleaving. */
  readonly explored: readonly Explored[];
  /** Systems that together take every transition which the protocol can take. */
  /** Known-wrong versions of the protocol: the sweep and the explorer must refute each. */
  readonly mutants: Readonly<Record<string, Mutant>>;
  /** Networks on which a run that all nodes start is compared with the cost formula. */
  readonly costs: readonly Topology[];
  /**
   * Systems in which elections are held again in every interleaving. Default: two elections on the
   * smallest system of `explored`.
   */
  readonly again?: readonly SmallSystem[];
  /**
   * The node that wins on this network if these nodes start, or those that may. Default: the
   * initiators may.
   */
  readonly winner?: (
    topology: Topology,
    initiators: readonly NodeId[],
  ) => NodeId | readonly NodeId[];
}

const elect = { type: 'elect' };

/** Each node starts at its own time; some are woken before. */
const workload = (): Workload => oneShot(elect, { after: { kind: 'exponential', mean: 30 } });

/** What every election protocol must pass. */
export function electionContract(contract: ElectionContract): void {
  const { protocol, topologies, small, explored, mutants, costs, winner, again } = contract;
  describe(`${protocol.id} ${protocol.name}: election`, () => {
    const systems = topologies.length * conditionsFor(protocol).length;
    const seeds = seedsTo(Math.ceil(1000 / systems));
    const chosen = sampled(seeds, Math.ceil(25 / systems));

    it(`elects one leader that all know in ≥ ${chosen === seeds ? '1,000' : 25} seeded runs under the conditions it assumes, and handles every message`, () => {
      const { runs, failure } = sweep({ protocol, topologies, workload, seeds: chosen });
      expect(failure).toBeUndefined();
      expect(runs).toBe(chosen.length * systems);
      expect(runs).toBeGreaterThanOrEqual(chosen === seeds ? 1000 : 25);
    });

    const isQuick = ([, { rare }]: [string, Mutant]) => rare !== true;
    it.each(quickOf(Object.entries(mutants), isQuick))('refutes the mutant: %s', (_, mutant) => {
      expect(
        sweep({ protocol: mutant.protocol, topologies, workload, seeds }).failure,
      ).toBeDefined();
    });

    it('elects the right node for every non-empty set of initiators', () => {
      for (const topology of topologies.filter(({ nodes }) => nodes.length <= 5))
        for (let set = 1; set < 2 ** topology.nodes.length; set++) {
          const nodes = topology.nodes.filter((_, index) => (set >> index) & 1);
          const result = simulate({ protocol, topology, workload: oneShot(elect, { nodes }) });
          expect(fault(result)).toBeUndefined();
          expect([winner ? winner(topology, nodes) : nodes].flat()).toContain(result.leader);
        }
    });

    it('costs what its formula says', () => {
      for (const topology of costs) {
        const run = simulate({
          protocol,
          topology,
          workload: oneShot(elect),
          conditions: conditionsFor(protocol).at(-1) ?? {},
        });
        const measured = measuredCost(protocol, run);
        const bounds = protocol.cost?.messages(topology.nodes.length, topology);
        expect(measured).toBeGreaterThanOrEqual(bounds?.least ?? Infinity);
        expect(measured).toBeLessThanOrEqual(bounds?.most ?? -Infinity);
      }
    });

    everyInterleaving(protocol, explored, mutants);

    heldAgain(protocol, topologies, explored, again);

    hostsAgree(protocol, topologies, workload, small);
  });
}
