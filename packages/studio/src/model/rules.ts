import { type Reaction, reactions } from '@conclave/core/internal/chart';
import { roleOf } from '@conclave/core/internal/protocol';
import type { AnyStateMachine, AnyStateNode } from 'xstate';
import { memo } from '../base/memo.js';
import { actorOf, takenIn } from './last-step.js';
import type { Step } from './run.js';
import type { System } from './system.js';

/** A rule of a protocol, by which a step was taken. */
export interface Rule {
  /** As its page numbers it, `RA3`; empty where the machine gives no number. */
  readonly number: string;
  /** What it says; empty where neither the machine nor a page says it. */
  readonly text: string;
}

/** What the page of a protocol says by this number; undefined where there is no such rule. */
export type Sentences = (number: string) => string | undefined;

/** The rules by which a step was taken, each once; none for a crash, a loss and a split. */
export function rulesOf(system: System, step: Step, sentences: Sentences): readonly Rule[] {
  const node = actorOf(step);
  if (node === undefined) return [];
  const { machine } = roleOf(system.protocol, node, system.topology);
  const known = reactionsByKey(machine);
  const rules = takenIn(system, node, step).flatMap((key) =>
    describedRules(known.get(key)?.description ?? '', sentences),
  );
  return [...new Map(rules.map((rule) => [`${rule.number} ${rule.text}`, rule])).values()];
}

/** What a machine does about events, by the key of the transition. */
export const reactionsByKey = memo(({ root }: AnyStateMachine): ReadonlyMap<string, Reaction> => {
  const all = (node: AnyStateNode): readonly Reaction[] => [
    ...reactions(node),
    ...Object.values(node.states).flatMap(all),
  ];
  return new Map(all(root).map((reaction) => [reaction.key, reaction]));
});

/**
 * The rules that a description names: `RA3`, `LQ4, LQ16`, or with words of its own `LQ7: it requests
 * no longer`. Any other text is a rule without a number.
 */
export function describedRules(description: string, sentences: Sentences): readonly Rule[] {
  const [, numbers, own] = /^([A-Z]+\d+[a-z]?(?:, [A-Z]+\d+[a-z]?)*)(?:: (.*))?$/s.exec(
    description,
  ) ?? ['', ''];
  if (!numbers) return description === '' ? [] : [{ number: '', text: description }];
  return numbers.split(', ').map((number) => ({
    number,
    text: own ?? sentences(number) ?? '',
  }));
}

/** A rule as text: `RA3: A node defers a request if …`. */
export const ruleText = ({ number, text }: Rule): string =>
  [number, text].filter(Boolean).join(': ');

/** The sentences of the rules in the HTML of a page: rows of a table, number and sentence. */
export const sentencesIn = (html: string): ReadonlyMap<string, string> =>
  new Map(
    [...html.matchAll(/<tr>\s*<td>([A-Z]+\d+[a-z]?)<\/td>\s*<td>(.*?)<\/td>\s*<\/tr>/gs)].map(
      ([, number = '', sentence = '']) => [number, plainText(sentence)],
    ),
  );

const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

const plainText = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => characters[name] ?? '')
    .trim();
