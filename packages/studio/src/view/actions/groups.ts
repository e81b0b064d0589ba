import type { NodeId } from '@conclave/core/protocol';
import type { Kind, Possible, Target } from '../../model/possible.js';

export type Grouping = 'kind' | 'node';

export interface Group {
  readonly title: string;
  readonly actions: readonly Possible[];
}

/** What usually happens first, then the faults. */
const kinds: readonly (readonly [title: string, kinds: readonly Kind[]])[] = [
  ['Choices', ['choose']],
  ['Commands', ['command']],
  ['Messages arrive', ['deliver']],
  ['Timers', ['timeout']],
  ['Time', ['tick']],
  ['Messages are lost', ['drop', 'unsent']],
  ['Messages are duplicated', ['duplicate']],
  ['Nodes crash and restart', ['crash', 'restart']],
  ['The network splits', ['split', 'heal']],
];

/** The actions in groups, none empty; within a group in their own order. */
export function grouped(actions: readonly Possible[], grouping: Grouping, nodes: readonly NodeId[]): readonly Group[] {
  if (grouping === 'kind')
    return filled(kinds.map(([title, those]) => ({ title, actions: actions.filter(({ kind }) => those.includes(kind)) })));
  const byPlace = new Map<string, Possible[]>([...nodes, network].map((place) => [place, []]));
  for (const action of actions) byPlace.get(placeOf(action.target))?.push(action);
  return filled([...byPlace].map(([place, those]) => ({ title: place === network ? 'The network' : `At ${place}`, actions: those })));
}

const filled = (groups: readonly Group[]): readonly Group[] => groups.filter(({ actions }) => actions.length > 0);

/** No node has this id. */
const network = '';

/** The node at which something happens: a message is at its receiver. */
const placeOf = (target: Target): NodeId => (target.kind === 'node' ? target.node : target.kind === 'message' ? target.to : network);

/** Whether something happens at a node. */
export const isAt = (target: Target, node: NodeId): boolean => placeOf(target) === node;
