/** The part of the contract about elections that are held again. */
import { explore } from '@conclave/check';
import { type NodeView, type Protocol, sometimes } from '@conclave/core/protocol';
import { simulate, type Workload } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { replay } from '@conclave/core/trace';
import { isWhole, proof, sampled } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { type Explored, systemsOf } from '../contract/explored.contract.js';
import type { SmallSystem } from '../contract/shared.contract.js';
import { conditionsFor, fault } from '../contract/sweep.contract.js';
import { decision, hasTerms, inTerms, termination, termOf, terms } from './election.js';
import { repeated } from './repeated/protocol.js';

const elect = { type: 'elect' };

const ofElection = new Set(
  [...decision, ...termination]
    .flatMap((property) => [property.name, inTerms(property)?.name])
    .concat(terms.map(({ name }) => name)),
);

const isDecidedAgain = (node: NodeView): boolean => node.tags.has('decided') && termOf(node) > 1;

const again = sometimes('a node knows the leader of a second election', (system) =>
  system.tagged('decided').some(isDecidedAgain),
);

/**
 * On the smallest explored system: one node starts two elections; and two nodes start one each,
 * which the second may do after the first.
 */
function smallest(explored: readonly Explored[]): readonly SmallSystem[] {
  const all = explored.flatMap(systemsOf).filter(({ topology }) => topology.nodes.length > 1);
  const size = ({ topology: { nodes, links } }: SmallSystem) => nodes.length * 1000 + links.length;
  const [least] = all.toSorted((one, other) => size(one) - size(other));
  if (!least) throw new Error('no system is explored');
  const { topology, budget } = least;
  const [first = '', ...others] = topology.nodes;
  return [
    { topology, budget: { ...budget, commands: 2, initiators: [first] } },
    { topology, budget: { ...budget, commands: 1, initiators: [first, others.at(-1) ?? first] } },
  ];
}

/** Each node starts an election three times, at moments of its own. */
const severalTimes =
  (note: (node: NodeView) => void): Workload =>
  (application) => {
    for (const id of application.nodesAccepting(elect.type))
      for (const mean of [30, 300, 600])
        application.later({ kind: 'exponential', mean }, () => application.tell(id, elect));
    return note;
  };

/** @param systems default: two elections on the smallest explored system. */
export function heldAgain(
  protocol: Protocol,
  topologies: readonly Topology[],
  explored: readonly Explored[],
  systems = smallest(explored),
): void {
  const held = hasTerms(protocol) ? protocol : repeated(protocol);
  // others may answer the second `elect` with the leader of the present term
  const isRepeated = held !== protocol;
  const checked = isRepeated ? { ...held, properties: [...held.properties, again] } : held;

  proof(
    'its elections can be held again: the properties hold for each term in every interleaving',
    () => {
      for (const { topology, budget } of systems) {
        const found = explore(checked, topology, budget);
        expect(found.complete).toBe(true);
        for (const { kind, name, verdict, trace } of found.properties) {
          // in few elections on few nodes
          const mayBeUnreached =
            kind === 'sometimes' && name !== again.name && !ofElection.has(name);
          const good =
            verdict === 'holds' ||
            verdict === 'vacuous' ||
            verdict === 'reached' ||
            (mayBeUnreached && verdict === 'unreached');
          expect(good ? '' : `${topology.spec} ${JSON.stringify(budget)} ${name}: ${verdict}`).toBe(
            '',
          );
          if (trace)
            expect(replay(checked, topology, trace)).toEqual({ steps: trace.lines.length });
        }
      }
    },
  );

  it('its elections can be held again: one leader of the latest term in seeded runs of several elections', () => {
    let [runs, latest] = [0, 0];
    for (const topology of sampled(topologies, 2))
      for (const conditions of conditionsFor(protocol))
        for (const seed of sampled([1, 2, 3, 4, 5], 1)) {
          const last = new Map<string, NodeView>();
          const workload = severalTimes((node) => last.set(node.id, node));
          const where = `${topology.spec}, ${JSON.stringify(conditions)}, seed ${seed}`;
          expect(
            `${fault(simulate({ protocol: held, topology, conditions, workload, seed }))} on ${where}`,
          ).toBe(`undefined on ${where}`);
          expect([
            ...new Set(
              [...last.values()].map(
                ({ tags, context }) => `${tags.has('decided')} in ${context.term}`,
              ),
            ),
          ]).toEqual([expect.stringMatching('true')]);
          for (const node of last.values()) latest += termOf(node) / last.size;
          runs++;
        }
    if (isRepeated && isWhole) expect(latest / runs).toBeGreaterThan(2); // elections per run
  });
}
