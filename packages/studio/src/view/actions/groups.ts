import type { NodeId } from '@conclave/core/protocol';
import { groupBy } from '../../base/group-by.js';
import type { Kind, Possible, Target } from '../../model/possible.js';
import { say, type Text } from '../../texts/say.js';

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
const kinds: readonly (readonly [title: Text, kinds: readonly Kind[]])[] = [
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
    return kinds.flatMap(([title, those]) =>
      byStep(
        say(title),
        actions.filter(({ kind }) => those.includes(kind)),
      ),
    );
  const byPlace = groupBy(actions, ({ target }) => placeOf(target));
  return [...nodes, network].flatMap((place) =>
    byStep(
      place === network ? say('The network') : say('At {place}', { place }),
      byPlace.get(place) ?? [],
    ),
  );
}

/**
 * The actions under one title; crashes in the middle of a step are in groups of their own, by step.
 */
function byStep(title: string, all: readonly Possible[]): readonly Group[] {
  return [...groupBy(all, ({ inside }) => inside?.step)]
    .toSorted(([one], [other]) => Number(one !== undefined) - Number(other !== undefined))
    .map(([step, actions]) =>
      step === undefined
        ? { title, actions }
        : { title: say("Crash in the middle of '{step}'", { step }), actions, folds: true },
    );
}

/** No node has this id. */
const network = '';

/** The node at which something happens: a message is at its receiver. */
const placeOf = (target: Target): NodeId =>
  target.kind === 'node' ? target.node : target.kind === 'message' ? target.to : network;

/** Whether something happens at a node. */
export const isAt = (target: Target, node: NodeId): boolean => placeOf(target) === node;
