import { roleOf } from '@conclave/core/internal';
import type { NodeId } from '@conclave/core/protocol';
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { memo } from '../../base/collections.js';
import { actorOf, describedRules, reactionsByKey, ruleText } from '../../model/rules.js';
import type { Session } from '../../model/session.js';
import { sentencesFor } from '../catalogue/data.js';

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

/** Where the pointer rests on a transition, or on ignored events, its rules are shown. */
export function explain(drawing: Element, session: Session): void {
  const { protocol, topology } = session.system;
  const known = reactionsByKey(roleOf(protocol, shownNode(session).peek(), topology).machine);
  const sentences = sentencesFor(protocol.name);
  for (const part of drawing.querySelectorAll<SVGElement>('[data-keys]')) {
    if (part.querySelector('title')) continue;
    const lines = (part.dataset.keys?.split('\n') ?? []).flatMap((key) => {
      const { trigger, description } = known.get(key) ?? { trigger: '', description: '' };
      return [trigger, ...describedRules(description, sentences).map(ruleText)].join('\n  ');
    });
    const title = document.createElementNS('http://www.w3.org/2000/svg', 'title');
    title.textContent = [...new Set(lines)].join('\n');
    part.prepend(title);
  }
}
