import { stepOf, transitionsOf } from '@conclave/check/internal';
import { roleOf, stateNodes } from '@conclave/core/internal';
import { type Reaction, reactions } from '@conclave/core/internal/chart';
import type { NodeId } from '@conclave/core/protocol';
import type { AnyStateMachine } from 'xstate';
import { memo } from '../base/collections.js';
import { language, sayAny } from '../texts/say.js';
import type { Step } from './session.js';
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
export const reactionsByKey = memo(
  (machine: AnyStateMachine): ReadonlyMap<string, Reaction> =>
    new Map(
      stateNodes(machine)
        .flatMap(reactions)
        .map((reaction) => [reaction.key, reaction]),
    ),
);

/**
 * The rules that a description names: `RA3`, `LQ4, LQ16`, or with words of its own `LQ7: it requests
 * no longer`. Any other text is a rule without a number.
 */
export function describedRules(description: string, sentences: Sentences): readonly Rule[] {
  const [, numbers, own] = /^([A-Z]+\d+[a-z]?(?:, [A-Z]+\d+[a-z]?)*)(?:: (.*))?$/s.exec(
    description,
  ) ?? ['', ''];
  if (!numbers) return description === '' ? [] : [{ number: '', text: description }];
  return numbers.split(', ').map((number) => ({ number, text: own ?? sentences(number) ?? '' }));
}

/** A rule as text: `RA3: A node defers a request if …`. */
export const ruleText = ({ number, text }: Rule): string =>
  [number, sayAny(text)].filter(Boolean).join(': ');

/** A row of the table of rules in the HTML of a page: number and sentence. */
const ruleRow = /<tr>\s*<td>([A-Z]+\d+[a-z]?)<\/td>\s*<td>(.*?)<\/td>\s*<\/tr>/gs;

/** The sentences of the rules in the HTML of a page. */
export const sentencesIn = (html: string): ReadonlyMap<string, string> =>
  new Map(
    [...html.matchAll(ruleRow)].map(([, number = '', sentence = '']) => [
      number,
      plainText(sentence),
    ]),
  );

/** The HTML of a page with its rules in the language of its reader, where the table has them. */
export const withRulesSaid = (html: string): string =>
  html.replace(ruleRow, (row, number: string, sentence: string) => {
    const said = sayAny(plainText(sentence));
    return said === plainText(sentence)
      ? row
      : `<tr><td>${number}</td><td lang="${language()}">${said.replace(/</g, '&lt;')}</td></tr>`;
  });

const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

const plainText = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replace(/&(amp|lt|gt|quot);/g, (_, name: string) => characters[name] ?? '')
    .trim();

/** The node that takes a step; none does for channels, nor for a crash between steps. */
export function actorOf({ action }: Pick<Step, 'action'>): NodeId | undefined {
  const step = stepOf(action);
  return step?.type === 'deliver' ? step.to : step?.node;
}

/** The keys of the transitions that a node took in its step, see `transitionsOf`. */
export function takenIn(
  { protocol, topology }: System,
  node: NodeId,
  { from, action }: Step,
): readonly string[] {
  const state = from.world.nodes[node];
  return state && stepOf(action)?.type !== 'restart'
    ? transitionsOf(protocol, topology, node, state, action)
    : [];
}
