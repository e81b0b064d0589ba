/** Properties of each step of a node by Ricart and Agrawala's algorithm (CACM 24:1, 1981). */
import {
  everyStep,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
} from '@conclave/core/protocol';
import { receivedIn, sameIds, sentIn } from '../../../steps.js';
import { clockTicks, requestGoesToAll } from './clock-rules.js';

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
