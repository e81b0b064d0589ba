import type { Topology } from '../../topology/topology.js';
import type { Trace } from '../../trace/trace.js';
import type { Abstraction, ProofFigures } from './abstraction.js';
import { isConserved } from './conserved.js';
import { keyOf } from './partial-worlds.js';
import { notLocal, PropertyCheck } from './property-check.js';
import type { StateProperty } from './property-judge.js';
import { Unprovable } from './unprovable.js';
import { originLines, worldText } from './world-text.js';

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

/** What views say about a property. */
export type Judgement = Omit<ProofFinding, 'name'>;

/** @param before why there is no proof for all orders of names either, where that was tried. */
export const notProved = (
  { message, because }: Unprovable,
  before?: Unprovable | object,
): Judgement => ({
  verdict: 'not proved',
  reason:
    before instanceof Unprovable ? `${before.message}; in the order of names, ${message}` : message,
  ...(because ? { because } : {}),
});

export function provable<T>(run: () => T): T | Unprovable {
  try {
    return run();
  } catch (error) {
    if (error instanceof Unprovable) return error;
    throw error;
  }
}

/** What is known of all networks, as far as views show it. */
export interface Evidence {
  /** Of a property; without one, of the one with this name that every protocol has. */
  judge(property: StateProperty | undefined, name: string): Judgement;
  /** The networks of `n` nodes of which it speaks. */
  networksOf(n: number): readonly Topology[];
  readonly assumptions: readonly string[];
  readonly figures: ProofFigures;
}

/** The evidence of networks whose nodes stand in the order of their names. */
export const evidenceOf = (
  found: Abstraction,
  k: number,
  networkOf: (n: number) => Topology,
): Evidence => ({
  networksOf: (n) => [networkOf(n)],
  judge: (property) => judged(found, property, k),
  assumptions: assumptionsOf(found, k),
  figures: found.figures,
});

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
  const nodes = Math.max(compared.nodes, alike.nodes);
  const larger =
    nodes > compared.nodes
      ? `, one of those that differ in names in networks of up to ${nodes}`
      : '';
  return [
    `a node of a network of more than ${nodes} nodes does nothing new`,
    `compared were all steps of nodes in networks of up to ${compared.nodes} nodes${larger}, and those of random runs of up to ${random.nodes}; in the source of guards and actions no larger number was found; functions that they call were not read`,
    `the properties speak of ${k} nodes at a time, or count what no step makes or loses: compared on worlds of up to ${nodes} nodes, with each state of each node, on random ones of up to ${random.nodes}, and on views with many more nodes like theirs`,
    ...aboutNumbers(forgotten, guessed, ordered),
    'the nodes are named, and stand, as in these networks: no other order of names was looked at',
    noFaults,
  ];
}

export const noFaults = 'no message is lost or duplicated, and no node crashes';

/** What is assumed of the numbers that views forget, and of those of them that are guessed or ordered. */
export function aboutNumbers(
  forgotten: readonly string[],
  guessed: readonly string[],
  ordered: readonly string[] = [],
): readonly string[] {
  const silent = forgotten.filter((path) => !(guessed.includes(path) || ordered.includes(path)));
  return [
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
  ];
}
