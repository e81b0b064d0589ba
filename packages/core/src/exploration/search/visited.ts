/** The worlds found so far: each has a number, and knows from which one it was found first, and by which action. */
export interface Visited {
  /** How many there are. */
  readonly size: number;
  /** Above every number that was given out; {@link size}, where none is left out. */
  readonly bound: number;
  readonly bytes: number;
  /** Whether a number below {@link bound} is a world's. */
  has(id: number): boolean;
  /** Copies world `id` into `into`. */
  read(id: number, into: Int32Array): void;
  /** Whether world `id` can still be read. Default: each can. */
  canRead?(id: number): boolean;
  /** −1 for the first world. */
  parent(id: number): number;
  action(id: number): number;
}

/** Worlds to which a search adds. */
export interface Growing extends Visited {
  /**
   * The number of the world that begins at `from` and has this hash (of seed 0): new if it equals the size before; −1 for one that was seen
   * and whose number is not kept.
   */
  add(numbers: Int32Array, from: number, hash: number, parent: number, action: number): number;
  /**
   * Looks at where the worlds of steps stand, those that begin at `from`, `from` + `length` … before `end`, all at once: so the memory it takes is
   * on its way before the first of them is asked for. Changes nothing.
   */
  touch(steps: Int32Array, from: number, end: number, length: number): void;
  /** No world up to `id` will be read any more. */
  expanded(id: number): void;
}

/** The actions that lead from the first world to `id`, and the worlds between, first to last. */
export function pathTo(visited: Visited, id: number): { readonly worlds: readonly number[]; readonly actions: readonly number[] } {
  const worlds = [id];
  const actions: number[] = [];
  for (let at = id; visited.parent(at) >= 0; at = visited.parent(at)) {
    actions.push(visited.action(at));
    worlds.push(visited.parent(at));
  }
  return { worlds: worlds.reverse(), actions: actions.reverse() };
}
