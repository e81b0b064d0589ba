/** Invariants of the steps of a hunt, rules HT1–HT6, and the token's quiescence. */
import { atMost, everyStep, type NodeView, type Property } from '@conclave/core/protocol';
import { matchesState } from 'xstate';
import { receivedIn, sentIn } from '../../../steps.js';

/**
 * A node that since the last visit of the token has sent a hunt, or received one that has overtaken
 * the token.
 */
const expects = ({ value }: NodeView): boolean =>
  matchesState('wanted', value) || matchesState({ released: 'expecting' }, value);

const endOf = ({ context }: NodeView): unknown => context.end;

const oneHunt = everyStep(
  'between two visits of the token a node sends at most one hunt, and then expects the token',
  (step) => {
    const hunted = sentIn(step, 'hunt').length;
    return hunted === 0 || (hunted === 1 && !expects(step.before) && expects(step.after));
  },
);

const untilItComes = everyStep('a node that expects the token does so until it comes', (step) => {
  return !expects(step.before) || expects(step.after) || receivedIn(step, 'token') !== undefined;
});

const grants = everyStep(
  'a hunt that reaches the token, or has overtaken it, grants it a round, up to the node from which the hunt came',
  (step) => {
    const { before, after } = step;
    const hunt = receivedIn(step, 'hunt');
    if (!hunt) return true;
    const [passed] = sentIn(step, 'token');
    const end = passed ? passed.message.end : endOf(after);
    const comes = before.tags.has('token') || Number(hunt.hop) > Number(before.context.hop);
    return comes
      ? end === hunt.from && (after.tags.has('token') || passed !== undefined || expects(after))
      : end === endOf(before);
  },
);

const stops = everyStep('the token stops at the node at which its round ends', (step) =>
  sentIn(step, 'token').every(({ message }) => message.end !== step.before.id),
);

/**
 * A token that never rests makes hops without end and without further commands. Then no bound
 * holds, however large it is.
 */
const quiescence = atMost(Number.MAX_SAFE_INTEGER, {
  per: 'acquire',
  name: 'the token comes to rest: each request causes a bounded number of messages',
});

export const huntRules: readonly Property[] = [oneHunt, untilItComes, grants, stops, quiescence];
