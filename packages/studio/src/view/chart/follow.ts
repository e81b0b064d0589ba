import type { NodeId } from '@conclave/core/protocol';
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { memo } from '../../base/memo.js';
import { actorOf } from '../../model/last-step.js';
import type { Session } from '../../model/session.js';

/** Whether the chart goes to the node that takes a step. */
export const follows = signal(true);

/** The node whose chart is shown: the one that took the step, until another one is chosen there. */
export const shownNode = memo((session: Session): ReadonlySignal<NodeId> => {
  const { node, now, chosenAt } = session;
  return computed(() => {
    const { step } = now.value;
    const isFollowed = follows.value && chosenAt.value !== now.value;
    return (isFollowed && step && actorOf(step)) || node.value;
  });
});
