import { badInput } from '../../base/error.js';
import { checkOptions } from '../../options/check.js';
import { proveOptions } from '../../options/exploration.js';
import type { Property } from '../../protocol/property.js';
import type { Protocol } from '../../protocol/protocol.js';
import { handled, noStepFails } from '../../protocol/unhandled-messages.js';
import type { Topology } from '../../topology/topology.js';
import type { Trace } from '../../trace/trace.js';
import { explore } from '../explore/explore.js';
import { type Abstraction, abstractionOf, type ProofFigures } from './abstraction.js';
import { isConserved } from './conserved.js';
import { keyOf } from './partial-worlds.js';
import { notLocal, PropertyCheck, type StateProperty } from './property-check.js';
import { Unprovable } from './unprovable.js';
import { originLines, worldText } from './world-text.js';

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

/** What is known of a property of the networks of all sizes. */
export interface ProofFinding {
  readonly name: string;
  readonly verdict: 'holds for every n' | 'refuted' | 'not proved';
  /** Why it is not proved. */
  readonly reason?: string;
  /** The view that violates it, and the world and step that lead to it. */
  readonly because?: readonly string[];
  /** Where it is refuted: the smallest network, and a run that violates it there. */
  readonly network?: string;
  readonly trace?: Trace;
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
  const small = exploredFirst(protocol, networks, chosen, stop);
  const found = provable(() => abstractionOf(protocol, networks, k, stop));
  const properties = names.map((name): ProofFinding => {
    const property = chosen.find((candidate) => candidate.name === name);
    const proof = found instanceof Unprovable ? notProved(found) : judged(found, property, k);
    return merged(name, proof, small.get(name));
  });
  return {
    protocol: protocol.name,
    networks: networks(5).spec.replace(/5$/, 'n'),
    views: k,
    assumptions: found instanceof Unprovable ? [] : assumptionsOf(found, k),
    properties,
    ...(found instanceof Unprovable ? {} : { figures: found.figures }),
  };
}

const isOfStates = (property: Property): property is StateProperty =>
  property.kind === 'always' || property.kind === 'never';

type Judgement = Omit<ProofFinding, 'name'>;

const notProved = ({ message, because }: Unprovable): Judgement => ({
  verdict: 'not proved',
  reason: message,
  ...(because ? { because } : {}),
});

function provable<T>(run: () => T): T | Unprovable {
  try {
    return run();
  } catch (error) {
    if (error instanceof Unprovable) return error;
    throw error;
  }
}

interface Small {
  readonly isVacuous: boolean;
  readonly network: string;
  readonly trace?: Trace;
}

/** By property: what the explorer finds on small networks. */
function exploredFirst(
  protocol: Protocol,
  networks: (n: number) => Topology,
  properties: readonly Property[],
  stop: () => boolean,
): ReadonlyMap<string, Small> {
  const found = new Map<string, Small>();
  for (let n = 2; n <= explored.most; n++) {
    const topology = networks(n);
    const { properties: findings } = explore(protocol, topology, {
      properties,
      commands: n < explored.most ? 2 : 1,
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

function judged(found: Abstraction, property: StateProperty | undefined, k: number): Judgement {
  if (!property) return { verdict: 'holds for every n' }; // otherwise there is no abstraction
  const check = new PropertyCheck(found.stepping, property);
  const judgement = provable((): Judgement => {
    const violation = violationOf(check, found);
    if (violation && provable(() => isConserved(check, found)) !== true) return violation;
    const reason = violation ? undefined : notLocal(check, found, k);
    return reason === undefined
      ? { verdict: 'holds for every n' }
      : { verdict: 'not proved', reason };
  });
  return judgement instanceof Unprovable ? notProved(judgement) : judgement;
}

function violationOf(
  check: PropertyCheck,
  { stepping, fixpoint, smaller }: Abstraction,
): Judgement | undefined {
  for (const view of fixpoint.views.values()) {
    if (check.isFulfilled(view)) continue;
    const origin = fixpoint.origins.get(keyOf(view));
    return {
      verdict: 'not proved',
      reason: 'a view violates it, which may be of no real network',
      because: [
        `view: ${worldText(stepping, view)}`,
        ...(origin ? originLines(stepping, origin) : ['at the start']),
      ],
    };
  }
  const bad = smaller.find((world) => !check.isFulfilled(world));
  return (
    bad && {
      verdict: 'not proved',
      reason: 'a small network violates it',
      because: [`world: ${worldText(stepping, bad)}`],
    }
  );
}

function assumptionsOf(
  { figures, forgotten, guessed, ordered }: Abstraction,
  k: number,
): readonly string[] {
  const { compared, alike, random } = figures;
  const silent = forgotten.filter((path) => !(guessed.includes(path) || ordered.includes(path)));
  const nodes = Math.max(compared.nodes, alike.nodes);
  const larger =
    nodes > compared.nodes
      ? `, one of those that differ in names in networks of up to ${nodes}`
      : '';
  return [
    `a node of a network of more than ${nodes} nodes does nothing new`,
    `compared were all steps of nodes in networks of up to ${compared.nodes} nodes${larger}, and those of random runs of up to ${random.nodes}; in the source of guards and actions no larger number was found; functions that they call were not read`,
    `the properties speak of ${k} nodes at a time, or count what no step makes or loses: compared on worlds of up to ${nodes} nodes, with each state of each node, and on random ones of up to ${random.nodes}`,
    ...(silent.length > 0
      ? [
          `the values of ${silent.join(', ')} change no other part of a step: each step was repeated with four of the values −1 to 529 and some others`,
        ]
      : []),
    ...(guessed.length > 0
      ? [
          `${guessed.join(', ')} may have any values in each step: it was repeated with many, and has no other outcome than with these`,
        ]
      : []),
    ...(ordered.length > 0
      ? [
          `of ${ordered.join(', ')} only the order matters to a step, and it makes of them the same ones, or ones larger by one: each step was repeated with another choice of numbers in the same order, the first of each kind with all up to 529 and with some larger ones`,
        ]
      : []),
    'the nodes are named, and stand, as in these networks: no other order of names was looked at',
    'no message is lost or duplicated, and no node crashes',
  ];
}
