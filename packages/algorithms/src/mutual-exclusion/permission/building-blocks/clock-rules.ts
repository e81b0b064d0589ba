/** Properties of each step of nodes with Lamport clocks (CACM 21:7, 1978, IR1 and IR2). */
import {
  everyStep,
  type Message,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { ticked, witnessed } from '../../../clocks/lamport-clock.js';
import { receivedIn, sameIds } from '../../../steps.js';
import { isRequested } from '../../mutual-exclusion.js';

const clockOf = ({ context }: NodeView): number => Number(context.clock);

/** The time stamp of a message. */
export const stampOf = (message: Message): number =>
  'ts' in message ? Number(message.ts) : Number.NaN;

/**
 * The least reading of the clock after a step, where messages of the types `stamped` carry a time
 * stamp.
 */
function leastReading(step: NodeStep, stamped: readonly string[]): number {
  const was = clockOf(step.before);
  const received = receivedIn(step, ...stamped);
  if (received) return witnessed(was, stampOf(received));
  return isRequested(step) ? ticked(was) : was;
}

/**
 * The paper lets clocks jump; without jumps a reading is the length of the longest chain of events
 * that happened before.
 */
export const clockTicks = (stamped: readonly string[]): Property =>
  everyStep('a clock passes every time stamp received, and never jumps ahead', (step) => {
    const [was, is, from] = [
      clockOf(step.before),
      clockOf(step.after),
      leastReading(step, stamped),
    ];
    return is === from || (from === was && is === ticked(was));
  });

/** RA1, LA1. */
export const requestGoesToAll: Property = everyStep(
  'a request goes once to each other node, with a larger time stamp than every earlier one of its node',
  (step) => {
    const { before, after, sent } = step;
    return (
      !isRequested(step) ||
      (sameIds(
        sent.map(({ to }) => to),
        after.context.peers,
      ) &&
        sent.every(
          ({ message }) =>
            message.type === 'request' &&
            stampOf(message) === clockOf(after) &&
            clockOf(after) > clockOf(before),
        ))
    );
  },
);
