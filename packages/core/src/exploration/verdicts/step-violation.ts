import { answerOf } from '../../protocol/answer.js';
import { nodeStep } from '../../protocol/node-step.js';
import type { EveryStep, NodeStep } from '../../protocol/property.js';
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
  for (const step of compiled.distinctSteps()) {
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

/** The views of steps, by node, local state and action: several properties look at the same steps. */
const shown = new WeakMap<CompiledWorlds, Map<string, NodeStep | undefined>>();

/** A step as a property sees it; undefined if no machine takes it, or if it fails. */
export function stepView(compiled: CompiledWorlds, step: DistinctStep): NodeStep | undefined {
  const views = shown.get(compiled) ?? new Map<string, NodeStep | undefined>();
  shown.set(compiled, views);
  const key = `${step.index} ${step.number} ${compiled.actionNumber(step.action)}`;
  if (!views.has(key)) views.set(key, viewed(compiled, step));
  return views.get(key);
}

function viewed(compiled: CompiledWorlds, { node, id, state, action, error }: DistinctStep): NodeStep | undefined {
  const cause = causeOfAction(action);
  if (!cause || error) return undefined;
  const { protocol, topology } = compiled.worlds;
  const { state: after, effects } = node.perform(state, action);
  const viewOf = (at: LocalState) => nodeViewOf(protocol, topology, id, at, false);
  return nodeStep(viewOf(state), viewOf(after), cause, effects);
}
