import { answerOf } from '../../protocol/answer.js';
import { nodeStep } from '../../protocol/node-step.js';
import type { EveryStep, NodeStep, NodeView } from '../../protocol/property.js';
import type { LocalState } from '../../protocol/step.js';
import type { CompiledWorlds } from '../compiled/compiled.js';
import type { DistinctStep } from '../compiled/local-steps.js';
import type { Visited } from '../search/visited.js';
import { causeOfAction } from '../worlds/cause.js';
import { nodeViewOf } from '../worlds/view.js';

/** A step that a property does not allow: a world, and the action. */
export interface StepViolation {
  readonly world: number;
  readonly action: number;
}

/**
 * Finds the first world with a step that `property` does not allow. A node's steps do not depend on the rest of the world, so the property is
 * evaluated once for each distinct step; worlds are searched only if one is not allowed.
 */
export function findStep(compiled: CompiledWorlds, store: Visited, property: EveryStep): StepViolation | undefined {
  const wrong = new Map<string, Set<number>>(); // by node and local state
  for (const step of stepsOf(compiled)) {
    const seen = stepView(compiled, step);
    if (!seen || answerOf(property, property.allows, seen)) continue;
    const key = `${step.index} ${step.number}`;
    wrong.set(key, (wrong.get(key) ?? new Set()).add(compiled.actionNumber(step.action)));
  }
  return wrong.size === 0 ? undefined : firstWorld(compiled, store, wrong);
}

function firstWorld(compiled: CompiledWorlds, store: Visited, wrong: ReadonlyMap<string, ReadonlySet<number>>): StepViolation {
  const vector = new Int32Array(compiled.width);
  const next = new Int32Array(compiled.width);
  const nodes = compiled.configurations.length;
  for (let world = 0; world < store.bound; world++) {
    if (!store.has(world)) continue;
    store.read(world, vector);
    let found = -1;
    for (let node = 0; node < nodes && found < 0; node++) {
      const actions = wrong.get(`${node} ${compiled.configurations[node]?.stateOf(vector[node] as number)}`);
      if (!actions) continue;
      const visit = (action: number) => {
        if (found < 0 && actions.has(compiled.asTaken(action))) found = action;
        return false;
      };
      compiled.expand(vector, next, visit, () => {});
    }
    if (found >= 0) return { world, action: found };
  }
  throw new Error('unreachable: each distinct step was taken in a world that was found');
}

/** What properties have seen of a system's steps: several properties look at the same ones. */
interface Shown {
  /** By node and local state. */
  readonly states: NodeView[][];
  /** By node and place of the step; null for one that no machine takes, or that fails. */
  readonly steps: (NodeStep | null)[][];
  /** Every distinct step so far. */
  all: readonly DistinctStep[];
}

const shown = new WeakMap<CompiledWorlds, Shown>();

function shownOf(compiled: CompiledWorlds): Shown {
  const known = shown.get(compiled) ?? { states: [], steps: [], all: [] };
  shown.set(compiled, known);
  return known;
}

function stepsOf(compiled: CompiledWorlds): readonly DistinctStep[] {
  const known = shownOf(compiled);
  if (known.all.length < compiled.steps.distinct) known.all = [...compiled.distinctSteps()];
  return known.all;
}

/** A step as a property sees it; undefined if no machine takes it, or if it fails. */
export function stepView(compiled: CompiledWorlds, step: DistinctStep): NodeStep | undefined {
  const known = shownOf(compiled);
  known.steps[step.index] ??= [];
  const steps = known.steps[step.index] as (NodeStep | null)[];
  steps[step.place] ??= viewed(compiled, step, known) ?? null;
  return steps[step.place] ?? undefined;
}

function viewed(compiled: CompiledWorlds, step: DistinctStep, { states }: Shown): NodeStep | undefined {
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
