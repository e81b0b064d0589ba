/** What each step of a hunt promises; rules H1–H6. */
import { everyStep, type NodeView, type Property } from '@conclave/core/protocol';
import { matchesState } from 'xstate';
import { receivedIn, sentIn } from '../building-blocks/token-steps.js';

/** Who has sent a hunt, or has got one that the token comes before, since the token was there. */
const expects = ({ value }: NodeView): boolean => matchesState('wanted', value) || matchesState({ released: 'expecting' }, value);

const endOf = ({ context }: NodeView): unknown => context.end;

const oneHunt = everyStep('between two visits of the token a node sends at most one hunt, and then expects the token', (step) => {
  const hunted = sentIn(step, 'hunt').length;
  return hunted === 0 || (hunted === 1 && !expects(step.before) && expects(step.after));
});

const untilItComes = everyStep('whoever expects the token does so until it comes', (step) => {
  return !expects(step.before) || expects(step.after) || receivedIn(step, 'token') !== undefined;
});

const grants = everyStep(
  'a hunt that comes where the token is or is to come grants it a round, up to the node from which the hunt came',
  (step) => {
    const { before, after } = step;
    const hunt = receivedIn(step, 'hunt');
    if (!hunt) return true;
    const [passed] = sentIn(step, 'token');
    const end = passed ? passed.message.end : endOf(after);
    const comes = before.tags.has('token') || Number(hunt.hop) > Number(before.context.hop);
    return comes ? end === hunt.from && (after.tags.has('token') || passed !== undefined || expects(after)) : end === endOf(before);
  },
);

const rests = everyStep('no node passes the token on at which its round ends', (step) =>
  sentIn(step, 'token').every(({ message }) => message.end !== step.before.id),
);

export const huntRules: readonly Property[] = [oneHunt, untilItComes, grants, rests];
