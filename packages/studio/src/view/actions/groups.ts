import type { NodeId } from '@conclave/core/protocol';
import type { Kind, Possible, Target } from '../../model/possible.js';

export type Grouping = 'kind' | 'node';

export interface Group {
  readonly title: string;
  readonly actions: readonly Possible[];
  /**
   * Shown only when it is opened: the crashes in the middle of one step, of which there may be very
   * many.
   */
  readonly folds?: true;
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
  ['Nodes crash in the middle of a step', ['inside']],
  ['The network splits', ['split', 'heal']],
];

/** The actions in groups, none empty; within a group in their own order. */
export function grouped(
  actions: readonly Possible[],
  grouping: Grouping,
  nodes: readonly NodeId[],
): readonly Group[] {
  if (grouping === 'kind')
    return filled(
      kinds.flatMap(([title, those]) =>
        byStep(
          title,
          actions.filter(({ kind }) => those.includes(kind)),
        ),
      ),
    );
  const byPlace = new Map<string, Possible[]>([...nodes, network].map((place) => [place, []]));
  for (const action of actions) byPlace.get(placeOf(action.target))?.push(action);
  return filled(
    [...byPlace].flatMap(([place, those]) =>
      byStep(place === network ? 'The network' : `At ${place}`, those),
    ),
  );
}

/**
 * The actions under one title; crashes in the middle of a step are in groups of their own, by step.
 */
function byStep(title: string, actions: readonly Possible[]): readonly Group[] {
  const steps = new Map<string, Possible[]>();
  for (const action of actions)
    if (action.inside)
      steps.set(action.inside.step, [...(steps.get(action.inside.step) ?? []), action]);
  return [
    { title, actions: actions.filter(({ inside }) => !inside) },
    ...[...steps].map(
      ([step, those]): Group => ({
        title: `Crash in the middle of '${step}'`,
        actions: those,
        folds: true,
      }),
    ),
  ];
}

const filled = (groups: readonly Group[]): readonly Group[] =>
  groups.filter(({ actions }) => actions.length > 0);

/** No node has this id. */
const network = '';

/** The node at which something happens: a message is at its receiver. */
const placeOf = (target: Target): NodeId =>
  target.kind === 'node' ? target.node : target.kind === 'message' ? target.to : network;

/** Whether something happens at a node. */
export const isAt = (target: Target, node: NodeId): boolean => placeOf(target) === node;
