import { memo } from '../base/collections.js';
import { type Rule, rulesOf, ruleText } from '../model/rules.js';
import type { Session, Step } from '../model/session.js';
import { say } from '../texts/say.js';
import { sentencesFor } from './catalogue/data.js';
import { Translated } from './parts/controls.js';

/** The rules by which the steps of a session are taken. */
export const rulesIn = memo(({ system }: Session) => {
  const sentences = sentencesFor(system.protocol.name);
  return memo((step: Step): readonly Rule[] => rulesOf(system, step, sentences));
});

interface RulesProps {
  readonly rules: readonly Rule[];
}

/** `RA1 RA3` */
export const numbersOf = (rules: readonly Rule[]): string =>
  rules.map(({ number }) => number).join(' ');

/** A column before the text of a step; the sentences are shown where a mouse rests. */
export function RuleNumbers({ rules }: RulesProps) {
  return (
    <span class="rule-numbers" title={rules.map(ruleText).join('\n')}>
      {numbersOf(rules)}
    </span>
  );
}

/** With their sentences. */
export function Rules({ rules }: RulesProps) {
  if (rules.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls where it is long
    <ul class="rules small" aria-label={say('Rules of this step')} tabIndex={0}>
      {rules.map(({ number, text }) => (
        <li key={`${number} ${text}`}>
          {number && <strong>{number}</strong>} <Translated text={text} />
        </li>
      ))}
    </ul>
  );
}
