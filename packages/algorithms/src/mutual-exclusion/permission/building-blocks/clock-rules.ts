/** What Lamport's rules for clocks (CACM 21:7, 1978, IR1 and IR2) promise of each step. */
import { everyStep, type Message, type NodeStep, type NodeView, type Property } from '@conclave/core/protocol';
import { ticked, witnessed } from './lamport-clock.js';

const clockOf = ({ context }: NodeView): number => Number(context.clock);

/** The time stamp that a message carries. */
export const stampOf = (message: Message): number => ('ts' in message ? Number(message.ts) : Number.NaN);

/** What the clock reads at least after a step, given that messages of the types `stamped` carry one. */
function least({ before, cause }: NodeStep, stamped: readonly string[]): number {
  const was = clockOf(before);
  if (cause.kind === 'message' && stamped.includes(cause.message.type)) return witnessed(was, stampOf(cause.message));
  return cause.kind === 'command' && cause.command.type === 'acquire' ? ticked(was) : was;
}

/** The paper lets clocks jump; that they do not keeps numbers small, and makes each the length of the longest chain of causes. */
export const clockTicks = (stamped: readonly string[]): Property =>
  everyStep('a clock comes after all that its node knows of, and never jumps', (step) => {
    const [was, is, from] = [clockOf(step.before), clockOf(step.after), least(step, stamped)];
    return is === from || (from === was && is === ticked(was));
  });

/** RA1, and the first rule of Lamport's algorithm. */
export const requestIsTold: Property = everyStep(
  'a wish is told to each other node once, with a time stamp that no earlier one of its node has',
  ({ before, after, cause, sent }) =>
    cause.kind !== 'command' ||
    cause.command.type !== 'acquire' ||
    (sameIds(
      sent.map(({ to }) => to),
      after.context.peers,
    ) &&
      sent.every(({ message }) => message.type === 'request' && stampOf(message) === clockOf(after) && clockOf(after) > clockOf(before))),
);

/** Whether both hold the same ids, each as often. */
export const sameIds = (some: readonly string[], others: unknown): boolean =>
  Array.isArray(others) && some.length === others.length && [...some].sort().join() === others.map(String).sort().join();
