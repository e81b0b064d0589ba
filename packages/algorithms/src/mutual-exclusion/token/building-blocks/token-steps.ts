/** What nodes that hand a token around do in each step. */
import { everyStep, type Message, type NodeId, type NodeStep, type NodeView, type Property } from '@conclave/core/protocol';
import { type Counts, countOf } from './token-knowledge.js';

/** A copy of a message would do no harm in most of these protocols, but it would cost. */
export const nothingTwice: Property = everyStep('no step sends the same message to the same neighbour twice', ({ sent }) => {
  const named = sent.map(({ to, message }) => `${message.type} ${to}`);
  return new Set(named).size === named.length;
});

/** On a one-way ring, whose nodes know the `next` one. */
export const onlyToNext: Property = everyStep('whatever is sent goes to the next node of the ring', ({ before, sent }) =>
  sent.every(({ to }) => to === before.context.next),
);

const isInside = ({ tags }: NodeView): boolean => tags.has('critical');

export const enters = ({ before, after }: NodeStep): boolean => isInside(after) && !isInside(before);

export const isTold = (command: string, { cause }: NodeStep): boolean => cause.kind === 'command' && cause.command.type === command;

/** A message with what it says. */
type Fields = Message & Readonly<Record<string, unknown>>;

/** The message of one of these types that the step reacts to. */
export const receivedIn = ({ cause }: NodeStep, ...types: readonly string[]): (Fields & { readonly from: NodeId }) | undefined =>
  cause.kind === 'message' && types.includes(cause.message.type) ? { ...cause.message, from: cause.from } : undefined;

/** The messages of these types that the step sends. */
export const sentIn = ({ sent }: NodeStep, ...types: readonly string[]): readonly { readonly to: NodeId; readonly message: Fields }[] =>
  sent.flatMap(({ to, message }) => (types.includes(message.type) ? [{ to, message: { ...message } }] : []));

const tokens = ['token', 'token-and-request'];

/**
 * A token, wherever it goes, knows how many entries there have been.
 *
 * @param ofNode the number in a node that has the token. `ofMessage`: on a token that is on its way; `perHop`: how much it grows where it comes.
 */
export const countsEntries = (
  ofNode: (node: NodeView) => number,
  ofMessage: (message: Message) => number = ({ entries }: Message & { readonly entries?: unknown }) => Number(entries),
  perHop = 0,
): Property =>
  everyStep('the number on the token grows by one with each entry, and only so', (step) => {
    const { before, after } = step;
    const received = receivedIn(step, ...tokens);
    const [sent] = sentIn(step, ...tokens);
    const came = received ? ofMessage(received) + perHop : before.tags.has('token') ? ofNode(before) : undefined;
    const is = sent ? ofMessage(sent.message) : after.tags.has('token') ? ofNode(after) : undefined;
    return came === undefined || is === undefined || is - came === (enters(step) ? 1 : 0);
  });

const requestedOf = ({ context }: NodeView): Counts => context.requested as Counts; // as the machines' own types say

/** Of nodes that know who has `wished` how often. */
export const requestsInOrder: Property = everyStep('each wish of a node has the number after that of its last one', (step) => {
  const { before, after } = step;
  const own = (node: NodeView) => countOf(requestedOf(node), node.id);
  return own(after) - own(before) === (isTold('acquire', step) ? 1 : 0);
});

/**
 * Suzuki's and Kasami's RN: of each node the latest wish that has been heard of.
 *
 * @param wishIn whose wish a message tells of, and its number; undefined where it tells of none.
 */
export const remembersRequests = (requestIn: (step: NodeStep) => readonly [NodeId, number] | undefined): Property =>
  everyStep('whoever hears of a wish knows the latest wish of that node from then on', (step) => {
    const [id, k] = requestIn(step) ?? [];
    return (
      id === undefined || k === undefined || countOf(requestedOf(step.after), id) === Math.max(countOf(requestedOf(step.before), id), k)
    );
  });

const queueOf = ({ context }: NodeView): readonly NodeId[] => context.queue as readonly NodeId[]; // the same

/** Of nodes with a `queue` of those, themselves included, from which they have a request. */
export const nobodyTwice: Property = everyStep('nobody stands in a queue twice', ({ after }) => {
  const queue = queueOf(after);
  return new Set(queue).size === queue.length;
});

export const asksForSomebody: Property = everyStep('the token is asked for only while somebody stands in the queue', (step) => {
  return sentIn(step, 'request', 'token-and-request').length === 0 || queueOf(step.after).length > 0;
});

/**
 * Each request is served in the order in which the node has heard of it, its own among them.
 *
 * @param mayJump whether a node that gets the token may enter before its turn.
 */
export const inTurn = (mayJump: (before: NodeView) => boolean = () => false): Property =>
  everyStep('the token goes to whoever stands first in the queue of the node that has it', (step) => {
    const { before } = step;
    const asking = isTold('acquire', step) ? [before.id] : [receivedIn(step, 'request', 'token-and-request')?.from ?? []].flat();
    const [first] = [...queueOf(before), ...asking];
    const [passed] = sentIn(step, ...tokens);
    if (passed) return passed.to === first;
    return !enters(step) || first === before.id || mayJump(before);
  });
