/**
 * Invariants of the steps of variants in which neighbours are told of the token; rules AG6 and AG7.
 */
import {
  everyStep,
  leadsTo,
  type NodeId,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { receivedIn, sentIn } from '../../../steps.js';

/** The neighbours to which the edges of a node point. */
// as the machine's own types say
export const pointersOf = ({ context }: NodeView) => context.out as readonly NodeId[];

const tellsPointers = everyStep(
  'a node that receives the token tells exactly the neighbours to which its other edges pointed',
  (step) => {
    const token = receivedIn(step, 'token');
    const expected = token ? pointersOf(step.before).filter((id) => id !== token.from) : [];
    const sent = sentIn(step, 'reversed');
    const isRight = (number: unknown) =>
      number === undefined || number === Number(token?.entries) + 1;
    return (
      sent.length === expected.length &&
      expected.every((id) => sent.some(({ to, message }) => to === id && isRight(message.entries)))
    );
  },
);

const turnsEdge = everyStep(
  'news of the token reverse the edge, unless the token has visited the receiver since',
  (step) => {
    const news = receivedIn(step, 'reversed');
    if (!news) return true;
    const [before, after] = [pointersOf(step.before), pointersOf(step.after)];
    const isLate =
      news.entries !== undefined && Number(news.entries) <= Number(step.before.context.entries);
    if (isLate) return after.join() === before.join();
    return after[0] === news.from && before.every((id) => after.includes(id));
  },
);

export const reversalRules: readonly Property[] = [tellsPointers, turnsEdge];

/** Whether the node knows its edges. */
export const isStarted = ({ value }: NodeView): boolean =>
  typeof value !== 'object' || !('starting' in value);

export const startUpRules: readonly Property[] = [
  leadsTo('every node learns where its edges point', (node) => !isStarted(node), isStarted),
  everyStep('a node sends no token and no request before it knows its edges', (step) => {
    return isStarted(step.after) || sentIn(step, 'token', 'request').length === 0;
  }),
  everyStep(
    'a node that knows its edges does not forget that',
    ({ before, after }) => !isStarted(before) || isStarted(after),
  ),
];
