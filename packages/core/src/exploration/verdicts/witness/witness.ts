import type { CompiledWorlds } from '../../search/tables/compiled-worlds.js';
import type { Search } from '../../search/traversal/search.js';
import { faultIn } from '../../worlds/next-or-fault.js';
import { runLines } from '../../worlds/run-lines.js';
import type { Action, World } from '../../worlds/world.js';
import type { Worlds } from '../../worlds/worlds.js';
import type { CompiledProperties } from '../properties/compiled-properties.js';
import type { CompiledProperty, Evidence } from '../properties/compiled-property.js';
import type { Witness } from '../property-finding.js';
import { headerOf, loopingRun } from './looping-run.js';
import { withPlainCrashes } from './plain-crashes.js';
import { runOf } from './run-of.js';
import { shrink } from './shrink.js';

/** Longer runs are not shrunk: that would take too long. */
const mostToShrink = 300;

/** A system and how it was searched. */
export interface Searched {
  readonly compiled: CompiledWorlds;
  readonly properties: CompiledProperties;
  /** Whether the trace to each world is a shortest one. */
  readonly yieldsShortestTraces: boolean;
}

/** The run that decides a property; shrunk if the search does not yield shortest traces. */
export function witness(
  searched: Searched,
  property: CompiledProperty,
  evidence: Evidence,
  search: Search,
): Witness {
  const { compiled } = searched;
  const { worlds } = compiled;
  const header = headerOf(worlds);
  const { taken, loopsFrom: loopsFromStep } = runOf(compiled, evidence, search);
  if (loopsFromStep !== undefined) return loopingRun(compiled, taken, loopsFromStep);
  const found = taken.map((action) => compiled.actionOf(action));
  const actions = readable(searched, property, evidence, found);
  const { lines, steps } = runLines(worlds, actions);
  if (!evidence.fault) return { trace: { header, lines }, steps };
  // A shorter run may end in another world, where another action fails.
  const error =
    actions === found ? undefined : faultIn(worlds, endOf(worlds, actions), property.name);
  const { message: reason } = error ?? evidence.fault.error;
  header.set('fault', reason);
  return { trace: { header, lines }, steps, reason };
}

/** A run to the world that decides a property, as short and plain as it gets in a moment. */
function readable(
  searched: Searched,
  property: CompiledProperty,
  { onward, action }: Evidence,
  found: readonly Action[],
): readonly Action[] {
  if (onward !== undefined || action !== undefined) return found; // a run decides it, not its end
  const { worlds } = searched.compiled;
  const keeps = (end: World) => decides(searched, property, end);
  const isShort = searched.yieldsShortestTraces || found.length > mostToShrink;
  const short = isShort ? found : shrink(worlds, found, keeps);
  const actions = short.length > mostToShrink ? short : withPlainCrashes(worlds, short, keeps);
  requireReal(searched, property, actions);
  return actions;
}

/**
 * Takes a run by XState, if it has not confirmed every step: after an incomplete search.
 *
 * @throws {Error} if the run does not decide the property: a compiled machine differs from XState,
 * which is a mistake of the compiler.
 */
function requireReal(
  searched: Searched,
  property: CompiledProperty,
  actions: readonly Action[],
): void {
  const { steps, worlds } = searched.compiled;
  if (steps.confirmed === steps.distinct || decides(searched, property, endOf(worlds, actions)))
    return;
  throw new Error(
    `The run that decides '${property.name}' does not decide it by XState. This is a mistake of Conclave, not of the protocol; nothing is judged`,
  );
}

/** Whether a run that ends in `end` decides a property about single worlds. */
function decides(
  { compiled, properties }: Searched,
  property: CompiledProperty,
  end: World,
): boolean {
  if (properties.faults.includes(property))
    return faultIn(compiled.worlds, end, property.name) !== undefined;
  const vector = new Int32Array(compiled.width);
  compiled.encoding.encode(end, vector);
  if (property === properties.deadlocks)
    return compiled.worlds.actions(end).length === 0 && !property.holds(vector);
  return property.holds(vector) === (property.kind !== 'always');
}

const endOf = (worlds: Worlds, actions: readonly Action[]): World =>
  actions.reduce((world, action) => worlds.next(world, action), worlds.initial);
