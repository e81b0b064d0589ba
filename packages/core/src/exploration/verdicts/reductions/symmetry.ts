import { badInput, ConclaveError } from '../../../base/error.js';
import type { NodeId } from '../../../protocol/node.js';
import type { Protocol } from '../../../protocol/protocol.js';
import type { Permutation } from '../../../protocol/symmetry.js';
import type { Topology } from '../../../topology/topology.js';

/** The symmetry that a protocol declares. */
export interface Symmetry {
  readonly generators: readonly Permutation[];
  /** The group that the generators generate, the identity first. */
  readonly group: readonly Permutation[];
}

/** 7!: each permutation costs time in every world. */
const mostPermutations = 5040;

/**
 * @throws {ConclaveError} `bad-input` if none is declared or the group is too large; `bad-protocol`
 * if one is not an automorphism of the network.
 */
export function symmetryOf(protocol: Protocol, topology: Topology): Symmetry {
  if (!protocol.symmetry)
    throw badInput(
      `Protocol '${protocol.name}' declares no symmetry`,
      "Leave out reduce: 'symmetry', or declare by symmetry: (topology) => … which nodes are interchangeable.",
    );
  const generators = protocol.symmetry(topology);
  for (const generator of generators) checkAutomorphism(protocol, topology, generator);
  const identity: Permutation = new Map(topology.nodes.map((id) => [id, id]));
  const group = [identity];
  const known = new Set([keyOf(identity)]);
  for (const element of group)
    for (const generator of generators) {
      const next: Permutation = new Map(
        [...element].map(([id, name]) => [id, generator.get(name) ?? name]),
      );
      if (known.has(keyOf(next))) continue;
      if (group.length === mostPermutations)
        throw badInput(
          `Protocol '${protocol.name}' has more than ${mostPermutations} symmetries on '${topology.spec}'`,
          'Explore fewer nodes, or declare fewer of them interchangeable.',
        );
      known.add(keyOf(next));
      group.push(next);
    }
  return { generators, group };
}

const keyOf = (permutation: Permutation): string => [...permutation.values()].join();

/** A permutation as its cycles: `b→c→b`. */
export function permutationText(permutation: Permutation): string {
  const seen = new Set<NodeId>();
  const cycles: string[] = [];
  for (const id of permutation.keys()) {
    const cycle: NodeId[] = [];
    for (let at = id; !seen.has(at); at = permutation.get(at) ?? at) {
      seen.add(at);
      cycle.push(at);
    }
    if (cycle.length > 1) cycles.push([...cycle, id].join('→'));
  }
  return cycles.join(', ') || 'nothing';
}

function checkAutomorphism(protocol: Protocol, topology: Topology, permutation: Permutation): void {
  const refuse = (what: string) =>
    new ConclaveError(
      'bad-protocol',
      `Protocol '${protocol.name}': ${[...permutation].map(([id, name]) => `${id}→${name}`).join(', ')} is not a symmetry of '${topology.spec}': ${what}`,
      'Declare only permutations of its nodes that keep links and roles.',
    );
  const image = (id: NodeId) => permutation.get(id) ?? id;
  for (const id of permutation.keys())
    if (!topology.has(id)) throw refuse(`it has no node '${id}'`);
  const taken = new Map<NodeId, NodeId>();
  for (const id of topology.nodes) {
    const name = image(id);
    if (!topology.has(name)) throw refuse(`it has no node '${name}'`);
    const other = taken.get(name);
    if (other) throw refuse(`both ${other} and ${id} become ${name}`);
    taken.set(name, id);
    const [role, itsRole] = [protocol.roleOf(id, topology), protocol.roleOf(name, topology)];
    if (role !== itsRole) throw refuse(`${id} is a ${role}, ${name} a ${itsRole}`);
  }
  for (const { from, to } of topology.links)
    if (!topology.link(image(from), image(to)))
      throw refuse(`${from}→${to} is a link, ${image(from)}→${image(to)} is none`);
}
