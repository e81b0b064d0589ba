import { answerOf, nodeStep } from '@conclave/core/internal';
import type { LocalState, NodeStep, NodeView, PropertyOf } from '@conclave/core/protocol';
import type { KernelWorlds } from '../../search/kernel/kernel-store.js';
import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type { DistinctStep } from '../../search/tables/local-steps.js';
import { causeOfAction, nodeViewOf } from '../../worlds/local-node.js';

/** A step that a property does not allow: a world, and the action. */
export interface StepViolation {
  readonly world: number;
  readonly action: number;
}

/**
 * The steps that a property does not allow. A node's steps do not depend on the rest of the world,
 * so the property is evaluated once for each distinct step; worlds are searched only if one is not
 * allowed.
 */
export class WrongSteps {
  /** By node and local state: the actions. */
  readonly #wrong = new Map<string, Set<number>>();
  /** By node: how many distinct steps were judged. */
  readonly #judged: number[] = [];
  #count = 0;
  readonly #next: Int32Array;

  constructor(
    private readonly compiled: CompiledWorlds,
    private readonly property: PropertyOf<'everyStep'>,
  ) {
    this.#next = new Int32Array(compiled.width);
  }

  /** The first world of a search with such a step. */
  find(store: KernelWorlds): StepViolation | undefined {
    this.#judge();
    if (this.#wrong.size === 0) return undefined;
    const vector = new Int32Array(this.compiled.width);
    for (let world = 0; world < store.size; world++) {
      store.read(world, vector);
      const action = this.in(vector);
      if (action !== undefined) return { world, action };
    }
    throw new Error('unreachable: each distinct step was taken in a world that was found');
  }

  /** The first such step of a world. */
  in(vector: Int32Array): number | undefined {
    const { compiled } = this;
    this.#judge();
    if (this.#wrong.size === 0) return undefined;
    for (const [node, configurations] of compiled.configurations.entries()) {
      const actions = this.#wrong.get(`${node} ${configurations.stateOf(vector[node] as number)}`);
      if (!actions) continue;
      let found: number | undefined;
      const visit = (action: number) => {
        if (actions.has(compiled.asTaken(action))) found ??= action;
        return false;
      };
      compiled.expand(vector, this.#next, visit, () => {});
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Judges the steps that are new. */
  #judge(): void {
    const { compiled, property } = this;
    const { distinct } = compiled;
    if (distinct === this.#count) return;
    this.#count = distinct;
    for (const step of compiled.distinctSteps(this.#judged)) {
      this.#judged[step.index] = step.place + 1;
      const seen = stepView(compiled, step);
      if (!seen || answerOf(property, property.allows, seen)) continue;
      const key = `${step.index} ${step.number}`;
      this.#wrong.set(
        key,
        (this.#wrong.get(key) ?? new Set()).add(compiled.actionNumber(step.action)),
      );
    }
  }
}

/** What properties have seen of a system's steps: several properties look at the same ones. */
interface Shown {
  /** By node and local state. */
  readonly states: NodeView[][];
  /** By node and place of the step; null for one that no machine takes, or that fails. */
  readonly steps: (NodeStep | null)[][];
}

const shown = new WeakMap<CompiledWorlds, Shown>();

function shownOf(compiled: CompiledWorlds): Shown {
  const known = shown.get(compiled) ?? { states: [], steps: [] };
  shown.set(compiled, known);
  return known;
}

/** A step as a property sees it; undefined if no machine takes it, or if it fails. */
export function stepView(compiled: CompiledWorlds, step: DistinctStep): NodeStep | undefined {
  const known = shownOf(compiled);
  known.steps[step.index] ??= [];
  const steps = known.steps[step.index] as (NodeStep | null)[];
  steps[step.place] ??= viewStep(compiled, step, known) ?? null;
  return steps[step.place] ?? undefined;
}

function viewStep(
  compiled: CompiledWorlds,
  step: DistinctStep,
  { states }: Shown,
): NodeStep | undefined {
  const { index, id, number, state, after, action, outcome } = step;
  const cause = causeOfAction(action);
  if (!cause || outcome.error) return undefined;
  const { protocol, topology } = compiled.worlds;
  states[index] ??= [];
  const views = states[index];
  const viewOf = (number: number, at: LocalState): NodeView => {
    const view = views[number] ?? nodeViewOf(protocol, topology, id, at, false);
    views[number] = view;
    return view;
  };
  return nodeStep(viewOf(number, state), viewOf(outcome.state, after), cause, outcome.effects);
}
