/**
 * The run that decides a property, as a trace: found in the search, shrunk where the search does
 * not give shortest runs, with crashes between steps where those suffice, and confirmed by XState.
 */

import { headerWith, traceHeader } from '@conclave/core/internal/trace';
import { ConclaveError } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { Search } from '../search/traversal/search.js';
import { canonical } from '../worlds/canonical.js';
import { runLines } from '../worlds/run-lines.js';
import { type Action, isStep, type World } from '../worlds/world.js';
import { faultIn, nextOrFault, type Worlds } from '../worlds/worlds.js';
import type { CompiledProperties } from './properties/compiled-properties.js';
import type { CompiledProperty, Evidence } from './properties/compiled-property.js';
import type { Witness } from './property-finding.js';

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
    actions === found ? undefined : faultIn(worlds, worldAfter(worlds, actions), property.name);
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
  if (
    steps.confirmed === steps.distinct ||
    decides(searched, property, worldAfter(worlds, actions))
  )
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
    return compiled.worlds.actions(end).length === 0 && !properties.deadlocks.holds(vector);
  return !('holds' in property) || property.holds(vector) === (property.kind !== 'always');
}

const worldAfter = (worlds: Worlds, actions: readonly Action[]): World =>
  actions.reduce((world, action) => worlds.next(world, action), worlds.initial);

/** The run that decides a property, as numbers of actions from the initial world. */
interface DecidingRun {
  readonly taken: readonly number[];
  /**
   * Of a run that stops or goes on forever: the step, from 0, where its loop begins; as many as
   * there are steps if it stops.
   */
  readonly loopsFrom?: number;
}

/** The run for what a search has found. */
function runOf(
  compiled: CompiledWorlds,
  { world, onward = [], action, run }: Evidence,
  { store, graph }: Pick<Search, 'store' | 'graph'>,
): DecidingRun {
  const path = [...store.pathTo(world).actions];
  if (graph) for (const edge of onward) path.push(graph.action(edge));
  if (run && graph) {
    const { entry, approach, edges } = run;
    // A loop that begins while a choice is open is shown from the world where all are answered,
    // once around.
    const settled = [entry, ...edges.map((edge) => graph.target(edge))].findIndex((at) =>
      isSettled(compiled, store, at),
    );
    for (const edge of [...approach, ...edges, ...edges.slice(0, Math.max(0, settled))])
      path.push(graph.action(edge));
  }
  const taken = action === undefined ? path : [...path, action];
  return { taken, ...(run && graph ? { loopsFrom: taken.length - run.edges.length } : {}) };
}

function isSettled(compiled: CompiledWorlds, store: Search['store'], world: number): boolean {
  const vector = new Int32Array(compiled.width);
  store.read(world, vector);
  return compiled.encoding.decode(vector).choosing.length === 0;
}

/** A system in which a run can be repeated, such as `Worlds`. Worlds and actions are plain data. */
export interface Steppable<W, A> {
  readonly initial: W;
  actions(world: W): readonly A[];
  next(world: W, action: A): W;
}

/** A run with its worlds: `worlds[i]` is the one before `actions[i]`, the last one its end. */
interface Run<W, A> {
  readonly actions: readonly A[];
  readonly worlds: readonly W[];
}

/**
 * A shorter run that still ends in a world for which `keeps` is true, and of which no single step
 * can be deleted: delta debugging (Zeller & Hildebrandt, Simplifying and Isolating Failure-Inducing
 * Input, IEEE TSE 28:2, 2002). It deletes ever smaller pieces, each together with the later steps
 * that are no longer possible or that `next` then refuses.
 *
 * @throws {ConclaveError} `bad-input` for an impossible run, or one for whose end `keeps` is false.
 * @example shrink(new Worlds(protocol, topology), run, (world) => viewOf(protocol, topology,
 * world).count('critical') > 1)
 */
export function shrink<W, A>(
  system: Steppable<W, A>,
  run: readonly A[],
  keeps: (end: W) => boolean,
): readonly A[] {
  const start: Run<W, A> = { actions: [], worlds: [system.initial] };
  let path = extend(system, start, run);
  if (path.actions.length < run.length)
    throw badInput(
      'The run to be shrunk is not possible',
      'Give actions that are possible one after the other.',
    );
  if (!keeps(endOf(path)))
    throw badInput(
      'The run to be shrunk does not end in a world to be kept',
      'Give the run up to such a world.',
    );
  let size = run.length;
  for (let going = true; going; size = Math.ceil(size / 2)) {
    const before = path.actions.length;
    path = withoutPieces(system, path, size, keeps);
    going = size > 1 || path.actions.length < before;
  }
  return path.actions;
}

/** One pass over the run that deletes each dispensable piece of `size` steps. */
function withoutPieces<W, A>(
  system: Steppable<W, A>,
  from: Run<W, A>,
  size: number,
  keeps: (end: W) => boolean,
): Run<W, A> {
  let path = from;
  for (let at = 0; at < path.actions.length; ) {
    const before = { actions: path.actions.slice(0, at), worlds: path.worlds.slice(0, at + 1) };
    const shorter = extend(system, before, path.actions.slice(at + size));
    if (keeps(endOf(shorter))) path = shorter;
    else at += size;
  }
  return path;
}

/** `run`, extended by those of the actions that are possible in their turn. */
function extend<W, A>(system: Steppable<W, A>, path: Run<W, A>, actions: readonly A[]): Run<W, A> {
  const taken = [...path.actions];
  const worlds = [...path.worlds];
  let world = endOf(path);
  for (const action of actions) {
    const wanted = canonical(action);
    if (!system.actions(world).some((possible) => canonical(possible) === wanted)) continue;
    try {
      world = system.next(world, action);
    } catch {
      continue; // it fails here
    }
    taken.push(action);
    worlds.push(world);
  }
  return { actions: taken, worlds };
}

// a run has at least its first world
const endOf = <W>({ worlds }: Run<W, unknown>): W => worlds[worlds.length - 1] as W;

/**
 * The run with crashes between steps instead of crashes in the middle of a step, where its end is
 * still a world for which `keeps` is true: a reader should see the middle of a step only where it
 * matters. A search finds either first, since a step with a crash in its middle is one action.
 */
function withPlainCrashes(
  worlds: Worlds,
  run: readonly Action[],
  keeps: (end: World) => boolean,
): readonly Action[] {
  let best = run;
  for (let at = run.length - 1; at >= 0; at--) {
    const action = run[at];
    if (action?.type !== 'crash' || !action.during) continue;
    const plain: Action = { type: 'crash', node: action.node };
    const instead = isStep(action.during) ? [[plain], [action.during, plain]] : [[plain]];
    best =
      instead
        .map((actions) => best.toSpliced(at, 1, ...actions))
        .find((other) => ends(worlds, other, keeps)) ?? best;
  }
  return best;
}

/** Whether a run is possible, and `keeps` is true of its end. */
function ends(worlds: Worlds, run: readonly Action[], keeps: (end: World) => boolean): boolean {
  let { initial: world } = worlds;
  for (const action of run) {
    const wanted = canonical(action);
    if (!worlds.actions(world).some((possible) => canonical(possible) === wanted)) return false;
    const next = nextOrFault(worlds, world, action);
    if (next instanceof ConclaveError) return false;
    world = next;
  }
  return keeps(world);
}

/**
 * A run that goes on with its action number `loopsFromStep` after the last one; where that is their
 * number, it stops.
 */
export function loopingRun(
  compiled: CompiledWorlds,
  actions: readonly number[],
  loopsFromStep: number,
): Required<Omit<Witness, 'reason'>> {
  const { worlds } = compiled;
  const taken = actions.map((action) => compiled.actionOf(action));
  const { lines, firstLines, steps } = runLines(worlds, taken);
  const loopsFrom = firstLines[loopsFromStep] ?? lines.length;
  return { trace: { header: headerOf(worlds), lines }, loopsFrom, steps, loopsFromStep };
}

/** The header of the trace of a run that an exploration has found. */
export function headerOf({ protocol, topology, order, budget }: Worlds): Map<string, string> {
  const header = headerWith(traceHeader(protocol, topology)).set('channels', `order ${order}`);
  return budget.unexpected === 'discard' ? header.set('unexpected', 'discard') : header;
}
