/** Properties of each step of a node by Ricart and Agrawala's algorithm (CACM 24:1, 1981). */
import {
  everyStep,
  type Message,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { ticked, witnessed } from '../../../clocks/clock.js';
import { receivedIn, sameIds, sentIn } from '../../../steps.js';
import { isRequested } from '../../mutual-exclusion.js';

// Properties of each step of nodes with Lamport clocks (CACM 21:7, 1978, IR1 and IR2).

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

/** A node, with the time stamp of its request where `of` has it. */
const nameOf = (id: NodeId, of: object): string => ('ts' in of ? `${id} ${of.ts}` : id);
const deferredBy = ({ context: { deferred } }: NodeView): readonly string[] =>
  (Array.isArray(deferred) ? deferred : []).map((one: unknown) =>
    typeof one === 'object' && one !== null && 'id' in one
      ? nameOf(String(one.id), one)
      : String(one),
  );
const repliesIn = (step: NodeStep): readonly string[] =>
  sentIn(step, 'reply').map(({ to, message }) => nameOf(to, message));

const answeredOnce = (stamped: boolean): Property =>
  everyStep('each request gets one reply: immediately, or later if it was deferred', (step) => {
    const { before, after } = step;
    const request = receivedIn(step, 'request');
    const requests = request ? [nameOf(request.from, stamped ? request : {})] : [];
    return sameIds(
      [...deferredBy(before), ...requests],
      [...repliesIn(step), ...deferredBy(after)],
    );
  });

const nothingLeft = everyStep(
  'a node defers requests only while it waits or is in the critical section',
  ({ after }) =>
    after.tags.has('waiting') || after.tags.has('critical') || deferredBy(after).length === 0,
);

const allPermit = everyStep(
  'a node in the critical section awaits no reply',
  ({ after: { tags, context } }) =>
    !tags.has('critical') || (Array.isArray(context.awaiting) && context.awaiting.length === 0),
);

/** `stamped`: replies carry the time stamps of the requests. */
export const permissionRules = ({
  stamped = false,
}: {
  readonly stamped?: boolean;
} = {}): readonly Property[] => [
  requestGoesToAll,
  answeredOnce(stamped),
  nothingLeft,
  allPermit,
  clockTicks(['request']),
];
