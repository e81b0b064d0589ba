/** Properties as conditions on local states, for tools that know no functions of ours. */

import { answerOf, systemViewOf, waitingOf } from '@conclave/core/internal';
import type { LocalState, NodeView, Property, SystemView } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import { Reads, WatchedView } from '../verdicts/properties/reads.js';
import { nodeViewOf } from '../worlds/local-node.js';
import type { Worlds } from '../worlds/worlds.js';

/** That a node is in one of these local states, up or down. */
export interface NodeCondition {
  readonly node: number;
  readonly up: ReadonlySet<number>;
  readonly down: ReadonlySet<number>;
}

/** Some of these hold; of each, all parts. */
export type Formula = readonly (readonly NodeCondition[])[];

/** A property as formulas, or why it is none. */
export type PropertyFormula =
  | { readonly kind: 'state'; readonly holds: Formula }
  | { readonly kind: 'leadsTo'; readonly pairs: readonly LeadsToFormula[] }
  | { readonly kind: 'none'; readonly why: string };

interface LeadsToFormula {
  readonly trigger: NodeCondition;
  readonly response: NodeCondition;
}

/** A local state of a node, up or down. */
interface Place {
  readonly state: number;
  readonly crashed: boolean;
  readonly view: NodeView;
}

/** So many combinations of what a property tells apart are evaluated, and so many terms written. */
const mostCombinations = 20_000;
const mostTerms = 200;

/** The properties of a system over its local states. */
export class Formulas {
  readonly #places: readonly (readonly Place[])[];

  /** `states`: by node, the local states as the model numbers them. */
  constructor(
    private readonly worlds: Worlds,
    states: readonly (readonly LocalState[])[],
  ) {
    const { protocol, topology, budget } = worlds;
    const crashes = (budget.crashes ?? 0) > 0 ? [false, true] : [false];
    this.#places = topology.nodes.map((id, node) =>
      (states[node] ?? []).flatMap((local, state) =>
        crashes.map((crashed) => ({
          ...{ state, crashed },
          view: nodeViewOf(protocol, topology, id, local, crashed),
        })),
      ),
    );
  }

  of(property: Property): PropertyFormula {
    try {
      return this.#of(property);
    } catch (error) {
      if (error instanceof ConclaveError && error.code === 'bad-input')
        return { kind: 'none', why: 'it fails on local states that never occur together' };
      throw error;
    }
  }

  #of(property: Property): PropertyFormula {
    switch (property.kind) {
      case 'always':
      case 'never':
      case 'sometimes':
      case 'eventually':
      case 'alwaysEventually':
        return this.#ofSystem((view) => answerOf(property, property.holds, view));
      case 'leadsTo':
        return {
          kind: 'leadsTo',
          pairs: this.#places.map((_, node) => ({
            trigger: this.#ofNode(node, (view) => answerOf(property, property.holds, view)),
            response: this.#ofNode(
              node,
              (view) => view.crashed || answerOf(property, property.then, view),
            ),
          })),
        };
      case 'almostSurely':
        return { kind: 'none', why: 'it is about probabilities' };
      default:
        return { kind: 'none', why: 'it is about steps, not about states' };
    }
  }

  /** That some live node waits; undefined if the protocol does not say when. */
  get waiting(): Formula | undefined {
    const waits = waitingOf(this.worlds.protocol);
    return (
      waits &&
      this.#places.map((_, node) => [this.#ofNode(node, (view) => !view.crashed && waits(view))])
    );
  }

  #ofNode(node: number, holds: (view: NodeView) => boolean): NodeCondition {
    const fitting = (this.#places[node] ?? []).filter(({ view }) => holds(view));
    return conditionOf(node, fitting);
  }

  /**
   * Evaluates a property for each combination of what it tells apart; what that is, is seen by what
   * it reads.
   */
  #ofSystem(holds: (view: SystemView) => boolean): PropertyFormula {
    const reads = new Reads();
    for (;;) {
      const known = reads.size;
      const classes = this.#classes(reads);
      const count = classes.reduce((product, list) => product * list.length, 1);
      if (count > mostCombinations)
        return { kind: 'none', why: 'it tells too many combinations of local states apart' };
      const answers = combinations(classes.map(({ length }) => length)).map((places) =>
        holds(new WatchedView(this.#viewOf(classes, places), reads)),
      );
      if (reads.inFlight) return { kind: 'none', why: 'it looks at messages in flight' };
      if (reads.identities) return { kind: 'none', why: 'it compares objects' };
      if (reads.size > known) continue;
      const terms = termsOf(classes, answers);
      return terms.length > mostTerms
        ? { kind: 'none', why: `as a formula it has more than ${mostTerms} terms` }
        : { kind: 'state', holds: terms };
    }
  }

  /** By node: its places, those together that a property does not tell apart. */
  #classes(reads: Reads): readonly (readonly (readonly Place[])[])[] {
    const textOf = reads.projection();
    return this.#places.map((places) => {
      const byText = new Map<string, Place[]>();
      for (const place of places) {
        const text = textOf(place.view);
        byText.set(text, [...(byText.get(text) ?? []), place]);
      }
      return [...byText.values()];
    });
  }

  #viewOf(
    classes: readonly (readonly (readonly Place[])[])[],
    chosen: readonly number[],
  ): SystemView {
    const nodes = chosen.map((number, node) => classes[node]?.[number]?.[0]?.view as NodeView);
    return systemViewOf(this.worlds.protocol, nodes, () => []);
  }
}

function conditionOf(node: number, places: readonly Place[]): NodeCondition {
  const of = (isDown: boolean) =>
    new Set(places.flatMap(({ state, crashed }) => (crashed === isDown ? [state] : [])));
  return { node, up: of(false), down: of(true) };
}

/** All combinations of numbers below these, the last one running fastest. */
const combinations = (sizes: readonly number[]): readonly (readonly number[])[] =>
  sizes.reduce<readonly (readonly number[])[]>(
    (all, size) =>
      all.flatMap((first) => Array.from({ length: size }, (_, number) => [...first, number])),
    [[]],
  );

/**
 * Terms that cover exactly the combinations with the answer true: each is grown, node by node, as
 * long as it covers no other.
 */
function termsOf(
  classes: readonly (readonly (readonly Place[])[])[],
  answers: readonly boolean[],
): Formula {
  const sizes = classes.map(({ length }) => length);
  const indexOf = (chosen: readonly number[]) =>
    chosen.reduce((index, number, node) => index * (sizes[node] ?? 1) + number, 0);
  const covered = new Set<number>();
  const terms: (readonly NodeCondition[])[] = [];
  for (const [start, first] of combinations(sizes).entries()) {
    if (answers[start] !== true || covered.has(start)) continue;
    const box = first.map((number) => [number]);
    for (const [node, size] of sizes.entries())
      for (let number = 0; number < size; number++) {
        if (box[node]?.includes(number)) continue;
        const wider = box.with(node, [number]);
        if (productOf(wider).every((chosen) => answers[indexOf(chosen)])) box[node]?.push(number);
      }
    for (const chosen of productOf(box)) covered.add(indexOf(chosen));
    terms.push(
      box.flatMap((numbers, node) =>
        numbers.length === sizes[node]
          ? []
          : [
              conditionOf(
                node,
                numbers.flatMap((number) => classes[node]?.[number] ?? []),
              ),
            ],
      ),
    );
  }
  return terms;
}

const productOf = (box: readonly (readonly number[])[]): readonly (readonly number[])[] =>
  box.reduce<readonly (readonly number[])[]>(
    (all, numbers) => all.flatMap((first) => numbers.map((number) => [...first, number])),
    [[]],
  );
