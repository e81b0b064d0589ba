import type { NodeId, Protocol } from '@conclave/core/protocol';
import { oneShot, simulate, type Workload } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { subsets } from '../checks/networks.js';
import { type Explored, everyInterleaving, type Mutant } from '../contract/explored.contract.js';
import { costsItsFormula, holdsInSeededRuns } from '../contract/problem.contract.js';
import { type SmallSystem, sharedContract } from '../contract/shared.contract.js';
import { conditionsFor, fault } from '../contract/sweep.contract.js';
import { heldAgain } from './again.contract.js';

export interface ElectionContract {
  readonly protocol: Protocol;
  readonly topologies: readonly Topology[];
  readonly small: readonly SmallSystem[];
  /** Systems small enough to explore every interleaving. */
  readonly explored: readonly Explored[];
  /** Known-wrong versions of the protocol, which the explorer must refute. */
  readonly mutants?: Readonly<Record<string, Mutant>>;
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
    holdsInSeededRuns('elects one leader that all know', protocol, topologies, workload);

    it('elects the right node for every non-empty set of initiators', () => {
      for (const topology of topologies.filter(({ nodes }) => nodes.length <= 5))
        for (const nodes of sampled(subsets(topology.nodes), 8)) {
          const result = simulate({ protocol, topology, workload: oneShot(elect, { nodes }) });
          expect(fault(result)).toBeUndefined();
          expect([winner ? winner(topology, nodes) : nodes].flat()).toContain(result.leader);
        }
    });

    costsItsFormula(protocol, costs, () => oneShot(elect), conditionsFor(protocol).slice(-1));

    everyInterleaving(protocol, explored, mutants);

    heldAgain(protocol, topologies, explored, again);

    sharedContract(protocol, topologies, workload, small);
  });
}
