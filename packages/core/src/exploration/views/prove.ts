import { badInput } from '../../base/error.js';
import { proveOptions } from '../../options/exploration.js';
import type { Property } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import { handled, noStepFails } from '../../protocol/unhandled-messages.js';
import { checkOptions } from '../../schema/check.js';
import * as needs from '../../topology/needs.js';
import type { Topology } from '../../topology/topology.js';
import type { Trace } from '../../trace/trace.js';
import { explore } from '../explore/explore.js';
import { abstractionOf, type ProofFigures } from './abstraction.js';
import {
  type Evidence,
  evidenceOf,
  type Judgement,
  notProved,
  type ProofFinding,
  provable,
} from './evidence.js';
import type { StateProperty } from './property-judge.js';
import { ringEvidenceOf } from './ring-evidence.js';
import { ringAbstractionOf } from './ring-proof.js';
import { treeEvidenceOf } from './tree-evidence.js';
import { neighboursIn, treeAbstractionOf } from './tree-proof.js';
import { Unprovable } from './unprovable.js';

export interface ProveOptions {
  /**
   * The network of `n` nodes, for each `n`. Default: the one that the protocol gives as example of
   * what it needs, such as `star(n)`.
   */
  readonly networks?: (n: number) => Topology;
  /** Default: the protocol's own. Those that are not of states are left out. */
  readonly properties?: readonly Property[];
  /** How many nodes a view has, besides those that are in each one. Default 2. */
  readonly views?: number;
  /** Polled; once it returns true, nothing more is proved. */
  readonly stop?: () => boolean;
}

export interface Proof {
  readonly protocol: string;
  /** The networks, as `star:n`. */
  readonly networks: string;
  /** How many nodes a view has, besides those that are in each one. */
  readonly views: number;
  readonly properties: readonly ProofFinding[];
  /** What a proof rests on; the first one says how large the networks are that were looked at. */
  readonly assumptions: readonly string[];
  readonly figures?: ProofFigures;
}

/** Small networks are explored first, so far. */
const explored = { most: 4, states: 20_000 } as const;

/**
 * Whether properties of states hold for every number of nodes, by view abstraction (Abdulla,
 * Haziza, Holík, STTT 2016). What `holds for every n` rests on stands in `assumptions`; `not proved`
 * says nothing about the property.
 *
 * @throws {ConclaveError} `bad-input` for less than two nodes in a view; `bad-topology`.
 * @example prove(centralCoordinator())
 */
export function prove(protocol: Protocol, options: ProveOptions = {}): Proof {
  checkOptions('prove', proveOptions, options);
  const { networks = protocol.topology.example, views: k = 2, stop = () => false } = options;
  if (k < 2 || k > 4) throw badInput(`A view of ${k} nodes makes no sense`, 'Give 2, 3 or 4.');
  const chosen = (options.properties ?? protocol.properties).filter(isOfStates);
  const names = [...chosen.map(({ name }) => name), handled, noStepFails];
  const inOrder = () => evidenceOf(abstractionOf(protocol, networks, k, stop), k, networks);
  const ofTrees = provable(() => evidenceOfTrees(protocol, networks, k, stop));
  const ofRings = provable(() => evidenceOfRings(protocol, networks, k, stop));
  const found =
    ofTrees ??
    (ofRings === undefined || ofRings instanceof Unprovable ? provable(inOrder) : ofRings);
  const networksOf =
    found instanceof Unprovable ? (n: number) => [networks(n)] : (n: number) => found.networksOf(n);
  const small = exploredFirst(protocol, networksOf, chosen, stop);
  const properties = names.map((name): ProofFinding => {
    const property = chosen.find((candidate) => candidate.name === name);
    const proof =
      found instanceof Unprovable ? notProved(found, ofRings) : found.judge(property, name);
    return merged(name, proof, small.get(name));
  });
  const { assumptions = [], figures } = found instanceof Unprovable ? {} : found;
  return {
    protocol: protocol.name,
    networks: networks(5).spec.replace(/5$/, 'n'),
    views: k,
    ...{ assumptions, properties },
    ...(figures ? { figures } : {}),
  };
}

/** Of rings in any order of the names. */
function evidenceOfRings(
  protocol: Protocol,
  networks: (n: number) => Topology,
  k: number,
  stop: () => boolean,
): Evidence | undefined {
  if (needs.oneWayRing.refuses(networks(5))) return undefined;
  return ringEvidenceOf(ringAbstractionOf(protocol, networks, k, stop), k);
}

/** Of trees of any form; names in one order would be more views, and take hours. */
function evidenceOfTrees(
  protocol: Protocol,
  networks: (n: number) => Topology,
  k: number,
  stop: () => boolean,
): Evidence | undefined {
  const neighbours = k === 2 ? neighboursIn(protocol, networks) : undefined;
  if (neighbours === undefined) return undefined;
  return treeEvidenceOf(treeAbstractionOf(protocol, networks, neighbours, stop));
}

const isOfStates = (property: Property): property is StateProperty =>
  property.kind === 'always' || property.kind === 'never';

interface Small {
  readonly isVacuous: boolean;
  readonly network: string;
  readonly trace?: Trace;
}

/** By property: what the explorer finds on small networks. */
function exploredFirst(
  protocol: Protocol,
  networksOf: (n: number) => readonly Topology[],
  properties: readonly Property[],
  stop: () => boolean,
): ReadonlyMap<string, Small> {
  const found = new Map<string, Small>();
  const all = Array.from({ length: explored.most - 1 }, (_, index) => networksOf(index + 2)).flat();
  for (const topology of all) {
    const { properties: findings } = explore(protocol, topology, {
      properties,
      commands: topology.nodes.length < explored.most ? 2 : 1,
      limits: { states: explored.states, stop },
    });
    for (const { name, verdict, trace } of findings) {
      if (found.get(name)?.trace) continue;
      const isVacuous = verdict === 'vacuous' && (found.get(name)?.isVacuous ?? true);
      found.set(name, {
        isVacuous,
        network: topology.spec,
        ...(verdict === 'violated' && trace ? { trace } : {}),
      });
    }
  }
  return found;
}

function merged(name: string, proof: Judgement, small: Small | undefined): ProofFinding {
  if (small?.trace) {
    if (proof.verdict === 'holds for every n')
      throw new Error(
        `'${name}' is violated in a small network, and proved for every one: this is a mistake in conclave`,
      );
    return { name, verdict: 'refuted', network: small.network, trace: small.trace };
  }
  if (small?.isVacuous && proof.verdict === 'holds for every n')
    return { name, verdict: 'not proved', reason: 'nothing that it looks at changes' };
  return { name, ...proof };
}
