/** What the algorithm promises beyond a leader: how far its ids go. */
import { everyStep, type NodeId, type NodeStep, type Property } from '@conclave/core/protocol';
import { stepsOf } from '../../steps.js';
import type { Message } from './hirschberg-sinclair.js';

const { receivedIn, sentIn } = stepsOf<Message>();

/** The ids that the node sends, to whom. */
const electionsIn = (step: NodeStep) =>
  sentIn(step, 'election').map(({ to, message }) => ({ to, ...message }));
const repliesIn = (step: NodeStep) =>
  sentIn(step, 'reply').map(({ to, message }) => ({ to, ...message }));
const otherSide = ({ context: { left, right } }: NodeStep['after'], from: NodeId) =>
  from === left ? right : left;

export const ownProperties: readonly Property[] = [
  everyStep('a node sends no id smaller than its own', (step) =>
    [...electionsIn(step), ...repliesIn(step)].every(({ id }) => id >= step.after.id),
  ),
  everyStep(
    'in each phase a candidate sends its id once to each side, to go twice as far as before',
    (step) => {
      const { before, after } = step;
      const own = electionsIn(step).filter(({ id }) => id === after.id);
      const { left, right, phase } = after.context;
      if (own.length === 0) return true;
      return (
        phase === (before.tags.has('waiting') ? Number(before.context.phase) + 1 : 0) &&
        own.length === 2 &&
        [left, right].every((side) => own.some((election) => election.to === side)) &&
        own.every((election) => election.phase === phase && election.hops === 1)
      );
    },
  ),
  everyStep('an id of another node goes away from its sender, with one hop more', (step) => {
    const { after } = step;
    const others = electionsIn(step).filter(({ id }) => id !== after.id);
    if (others.length === 0) return true;
    const received = receivedIn(step, 'election');
    if (!received) return false;
    const { id, phase, hops, from } = received;
    const to = otherSide(after, from);
    return (
      hops < 2 ** phase &&
      others.every(
        (sent) =>
          sent.to === to && sent.id === id && sent.phase === phase && sent.hops === hops + 1,
      )
    );
  }),
  everyStep('only the last node of a phase replies to an id', (step) => {
    const received = receivedIn(step, 'election');
    if (!received) return true;
    const { id, phase, hops, from } = received;
    return repliesIn(step).every(
      (reply) =>
        hops === 2 ** phase && reply.to === from && reply.id === id && reply.phase === phase,
    );
  }),
];
