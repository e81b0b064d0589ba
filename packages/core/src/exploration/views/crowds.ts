import type { Message, NodeId } from '../../protocol/node.js';
import type { Part } from './part.js';
import type { SeenNode } from './property-judge.js';
import { renamed, renamingOf } from './ring-names.js';

/** The nodes of a view, and many that are as one or some of them but for their names. */
export interface Crowd<Place> {
  readonly nodes: readonly SeenNode[];
  /** What each is as, in the view. */
  readonly places: readonly Place[];
}

/** How many of a crowd of two kinds are of the first one; the others of the second one. */
const firsts = [1, 2, 3, 5, 8, 11, 14, 17, 19, 20];

/**
 * A property may speak of more nodes than a view has, and not show it in random worlds: nearly all of
 * them violate it for another reason. In a crowd there is no other reason than in its views. They are
 * of each size, and all nodes are as one of the view; or of the largest size, and as two.
 *
 * @param names of the nodes that the view does not have
 */
export function* crowdsOf<Place>(
  view: readonly Place[],
  names: readonly NodeId[],
  seen: (place: Place, id?: NodeId) => SeenNode,
): Iterable<Crowd<Place>> {
  const own = view.map((place) => seen(place));
  const crowd = (others: readonly Place[]): Crowd<Place> => ({
    nodes: [...own, ...others.map((place, index) => seen(place, names[index]))],
    places: [...view, ...others],
  });
  for (const [index, one] of view.entries()) {
    const all = crowd(names.map(() => one));
    for (let size = view.length + 1; size <= all.nodes.length; size++)
      yield { nodes: all.nodes.slice(0, size), places: all.places.slice(0, size) };
    for (const other of view.slice(index + 1))
      for (const first of firsts)
        yield crowd(names.map((_, place) => (place < first ? one : other)));
  }
}

/** The same part of a node with another name. */
export function calledAs({ role, state, out }: Part, before: NodeId, id: NodeId): Part {
  const renaming = renamingOf(new Map([[before, id]]));
  const [made] = renamed(state, undefined, renaming);
  const sent = (message: Message) => renamed(state, message, renaming)[1] ?? message;
  return {
    role,
    state: made,
    out: Object.fromEntries(Object.entries(out).map(([to, all]) => [to, all.map(sent)])),
  };
}
