import { ofNode } from '@conclave/core/internal/protocol';
import { everyStep, type NodeStep, type NodeView, type Property } from '@conclave/core/protocol';
import type { VectorClock } from '@conclave/core/trace';

// as the machine's own types say
const vectorOf = ({ context }: NodeView): VectorClock => context.vector as VectorClock;

/** How many more multicasts of each member have been delivered after the step. */
const deliveriesIn = ({ before, after }: NodeStep): VectorClock => {
  const earlier = vectorOf(before);
  return Object.fromEntries(
    Object.entries(vectorOf(after)).map(([id, count]) => [id, count - (ofNode(earlier, id) ?? 0)]),
  );
};

/** The rules, step by step. */
export const vectorRules: readonly Property[] = [
  everyStep(
    'a multicast goes to each other member once, with the vector of its sender, and nothing else is sent',
    ({ before, after, cause, sent }) => {
      if (cause.kind !== 'command') return sent.length === 0;
      const vector = JSON.stringify(vectorOf(after));
      const peers = Object.keys(vectorOf(before)).filter((id) => id !== before.id);
      const isStamped = sent.every(
        ({ message }) => 'vector' in message && JSON.stringify(message.vector) === vector,
      );
      return (
        isStamped &&
        sent
          .map(({ to }) => to)
          .sort()
          .join() === peers.sort().join()
      );
    },
  ),
  everyStep('the vector of a member counts what it delivers', (step) => {
    const counts = deliveriesIn(step);
    const told = step.notified.flatMap((one) => ('from' in one ? [String(one.from)] : []));
    const isCounted = Object.entries(counts).every(
      ([id, count]) => told.filter((from) => from === id).length === count,
    );
    return isCounted && told.every((from) => Object.hasOwn(counts, from));
  }),
  everyStep(
    'a member is delaying exactly while it delays messages',
    ({ after }) => after.tags.has('waiting') === [after.context.delayed].flat().length > 0,
  ),
];
