import { badInput } from '../../../base/error.js';
import { canonical } from '../../worlds/canonical.js';

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
