/**
 * The worlds found so far: each has a number, its predecessor and the action that led to it first.
 */
export interface Visited {
  /** The number of worlds. */
  readonly size: number;
  readonly bytes: number;
  /** Copies world `id` into `into`. */
  read(id: number, into: Int32Array): void;
  /** −1 for an initial world. */
  parent(id: number): number;
  action(id: number): number;
}

/** The worlds of a running search. */
export interface Growing extends Visited {
  /**
   * Adds the targets of steps (see `offset`), which fill `steps` up to `end`, and calls `added` for
   * each: with its place and the number of the world.
   */
  addAll(
    steps: Int32Array,
    end: number,
    added: (at: number, id: number, isNew: boolean) => void,
  ): void;
}

/** The path from an initial world to `id`: its worlds, including both ends, and its actions. */
export function pathTo(
  visited: Visited,
  id: number,
): { readonly worlds: readonly number[]; readonly actions: readonly number[] } {
  const worlds = [id];
  const actions: number[] = [];
  for (let at = id; visited.parent(at) >= 0; at = visited.parent(at)) {
    actions.push(visited.action(at));
    worlds.push(visited.parent(at));
  }
  return { worlds: worlds.reverse(), actions: actions.reverse() };
}
