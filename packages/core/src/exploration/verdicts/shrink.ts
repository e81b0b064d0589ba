import { ConclaveError } from '../../protocol/error.js';
import { canonical } from '../worlds/canonical.js';

/** What a run can be taken in again: `Worlds`, a `PlainSystem` with one initial state, or anything like them. Worlds and actions are plain data. */
export interface Steppable<W, A> {
  readonly initial: W;
  actions(world: W): readonly A[];
  next(world: W, action: A): W;
}

/** A run with the worlds it leads through: `worlds[i]` is the one before `actions[i]`, the last one its end. */
interface Run<W, A> {
  readonly actions: readonly A[];
  readonly worlds: readonly W[];
}

/**
 * A run that still ends in a world for which `keeps` is true, from which no single step can be deleted any more: delta debugging
 * (Zeller & Hildebrandt, Simplifying and Isolating Failure-Inducing Input, IEEE TSE 28:2, 2002), deleting ever smaller pieces. With a piece
 * go the later steps that are no longer possible without it, or that `next` now refuses: a request takes its answer along.
 *
 * @throws {ConclaveError} `bad-input` for a run that cannot happen, or for whose end `keeps` is false.
 * @example shrink(new Worlds(protocol, topology), run, (world) => viewOf(protocol, topology, world).count('critical') > 1)
 */
export function shrink<W, A>(system: Steppable<W, A>, run: readonly A[], keeps: (end: W) => boolean): readonly A[] {
  const start: Run<W, A> = { actions: [], worlds: [system.initial] };
  let way = goOn(system, start, run);
  if (way.actions.length < run.length)
    throw new ConclaveError('bad-input', 'The run to be shrunk cannot happen', 'Give actions that are possible one after the other.');
  if (!keeps(endOf(way)))
    throw new ConclaveError('bad-input', 'The run to be shrunk does not end in what it should keep', 'Cut it off where it does.');
  let size = run.length;
  for (let going = true; going; size = Math.ceil(size / 2)) {
    const before = way.actions.length;
    way = withoutPieces(system, way, size, keeps);
    going = size > 1 || way.actions.length < before;
  }
  return way.actions;
}

/** One sweep from the start to the end, deleting each piece of `size` steps that can be spared. */
function withoutPieces<W, A>(system: Steppable<W, A>, from: Run<W, A>, size: number, keeps: (end: W) => boolean): Run<W, A> {
  let way = from;
  for (let at = 0; at < way.actions.length; ) {
    const before = { actions: way.actions.slice(0, at), worlds: way.worlds.slice(0, at + 1) };
    const shorter = goOn(system, before, way.actions.slice(at + size));
    if (keeps(endOf(shorter))) way = shorter;
    else at += size;
  }
  return way;
}

/** `way` with those of the actions that are possible at their place. */
function goOn<W, A>(system: Steppable<W, A>, way: Run<W, A>, actions: readonly A[]): Run<W, A> {
  const taken = [...way.actions];
  const worlds = [...way.worlds];
  let world = endOf(way);
  for (const action of actions) {
    const wanted = canonical(action);
    if (!system.actions(world).some((possible) => canonical(possible) === wanted)) continue;
    try {
      world = system.next(world, action);
    } catch {
      continue; // it breaks the rules of the system here
    }
    taken.push(action);
    worlds.push(world);
  }
  return { actions: taken, worlds };
}

const endOf = <W>({ worlds }: Run<W, unknown>): W => worlds[worlds.length - 1] as W; // a way has at least the first world
