import { roleOf } from '@conclave/core/internal/protocol';
import { describedRules, reactionsByKey, ruleText } from '../../model/rules.js';
import type { Session } from '../../model/session.js';
import { sentencesFor } from '../catalogue/data.js';
import { shownNode } from './follow.js';

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
