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

/**
 * A property may speak of more nodes than a view has, and not show it in random worlds: nearly all of
 * them violate it for another reason. In a crowd there is no other reason than in its views.
 *
 * @param names of the nodes that the view does not have
 */
export function* crowdsOf<Place>(
  view: readonly Place[],
  names: readonly NodeId[],
  seen: (place: Place, id?: NodeId) => SeenNode,
): Iterable<Crowd<Place>> {
  for (let mask = 1; mask < 1 << view.length; mask++) {
    const chosen = view.filter((_, index) => (mask >> index) & 1);
    const others = names.map((_, index) => chosen[index % chosen.length] as Place); // one at least
    yield {
      nodes: [
        ...view.map((place) => seen(place)),
        ...others.map((place, index) => seen(place, names[index])),
      ],
      places: [...view, ...others],
    };
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
