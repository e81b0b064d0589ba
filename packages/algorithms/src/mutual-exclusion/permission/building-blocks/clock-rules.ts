/** Properties of each step of nodes with Lamport clocks (CACM 21:7, 1978, IR1 and IR2). */
import {
  everyStep,
  type Message,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { ticked, witnessed } from '../../../clocks/lamport-clock.js';

const clockOf = ({ context }: NodeView): number => Number(context.clock);

/** The time stamp of a message. */
export const stampOf = (message: Message): number =>
  'ts' in message ? Number(message.ts) : Number.NaN;

/**
 * The least reading of the clock after a step, where messages of the types `stamped` carry a time
 * stamp.
 */
function least({ before, cause }: NodeStep, stamped: readonly string[]): number {
  const was = clockOf(before);
  if (cause.kind === 'message' && stamped.includes(cause.message.type))
    return witnessed(was, stampOf(cause.message));
  return cause.kind === 'command' && cause.command.type === 'acquire' ? ticked(was) : was;
}

/**
 * The paper lets clocks jump; without jumps a reading is the length of the longest chain of events
 * that happened before.
 */
export const clockTicks = (stamped: readonly string[]): Property =>
  everyStep('a clock passes every time stamp received, and never jumps ahead', (step) => {
    const [was, is, from] = [clockOf(step.before), clockOf(step.after), least(step, stamped)];
    return is === from || (from === was && is === ticked(was));
  });

/** RA1, LA1. */
export const requestGoesToAll: Property = everyStep(
  'a request goes once to each other node, with a larger time stamp than every earlier one of its node',
  ({ before, after, cause, sent }) =>
    cause.kind !== 'command' ||
    cause.command.type !== 'acquire' ||
    (sameIds(
      sent.map(({ to }) => to),
      after.context.peers,
    ) &&
      sent.every(
        ({ message }) =>
          message.type === 'request' &&
          stampOf(message) === clockOf(after) &&
          clockOf(after) > clockOf(before),
      )),
);

/** Whether both have the same ids, each equally often. */
export const sameIds = (some: readonly string[], others: unknown): boolean =>
  Array.isArray(others) &&
  some.length === others.length &&
  [...some].sort().join() === others.map(String).sort().join();
