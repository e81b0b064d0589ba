import { ConclaveError } from '../base/error.js';
import { type ChannelFault, channelFaults, isChannelFault } from '../protocol/faults.js';
import type { NodeId } from '../protocol/node.js';
import { eventText, type Trace, type TraceLine } from './trace.js';

/** One message of a trace, and what happened to it. Lines are indices in `trace.lines`. */
export interface Transmission {
  readonly from: NodeId;
  readonly to: NodeId;
  /** Its text, such as `request(1)`. */
  readonly call: string;
  readonly sent: number;
  /** The lines that deliver it: several when it was duplicated. */
  readonly delivered: readonly number[];
  /** The lines in which the channel lost it. */
  readonly lost: readonly number[];
  /** How many copies are in flight at the end. */
  readonly inFlight: number;
}

interface Open extends Omit<Transmission, 'delivered' | 'lost' | 'inFlight'> {
  readonly delivered: number[];
  readonly lost: number[];
  inFlight: number;
}

/**
 * Each message sent in a trace, in the order of sending, with the lines that deliver, lose or
 * duplicate it.
 *
 * A trace does not number its messages. Of several with the same text on one channel, the one sent
 * first is taken to arrive first; what a channel loses or duplicates at the time of a send is taken
 * to be the message just sent; what is lost directly after the crash of its sender, the message
 * sent last.
 *
 * @throws {ConclaveError} `bad-trace` when a message arrives, or is lost or duplicated, that was
 * not sent.
 */
export function matchMessages(trace: Trace): readonly Transmission[] {
  const all: Open[] = [];
  const queues = new Map<string, Open[]>();
  const queueOf = (from: NodeId, to: NodeId, call: string): Open[] => {
    const key = `${from} ${to} ${call}`; // ids hold no spaces
    const queue = queues.get(key) ?? [];
    queues.set(key, queue);
    return queue;
  };
  let step = -1;
  for (const [index, line] of trace.lines.entries()) {
    const { event, node, effects } = line;
    if ('call' in event && event.kind !== 'command') {
      const queue = queueOf(event.from, node, event.call);
      const message = messageOf(line, queue, trace.lines[step], step);
      if (!message) throw neverSent(line, index);
      message.inFlight += leftBy(event.kind, event.call).length - 1;
      linesOf(message)[event.kind]?.push(index);
      if (message.inFlight === 0) queue.splice(queue.indexOf(message), 1);
    }
    if (!isChannelEvent(line)) step = index;
    for (const effect of effects) {
      if (effect.kind !== 'send') continue;
      const { to, call } = effect;
      const message = { from: node, to, call, sent: index, delivered: [], lost: [], inFlight: 1 };
      all.push(message);
      queueOf(node, to, call).push(message);
    }
  }
  return all;
}

/** What is in flight in place of a message, by an event. */
const leftBy = (kind: 'deliver' | ChannelFault, call: string): readonly string[] =>
  kind === 'deliver' ? [] : channelFaults[kind].leaves(call);

/** By kind of event: the lines that are told of a message. */
const linesOf = ({ delivered, lost }: Open): { readonly [kind: string]: number[] } => ({
  deliver: delivered,
  drop: lost,
});

/** The message of `queue` that a line is about; `before`: the step before it, line `step`. */
function messageOf(
  { event, time }: TraceLine,
  queue: readonly Open[],
  before: TraceLine | undefined,
  step: number,
): Open | undefined {
  if (event.kind === 'drop' && before?.event.kind === 'crash' && before.node === event.from)
    return queue.at(-1); // the crash has lost the newest
  const isAtSend = event.kind !== 'deliver' && before?.time === time;
  return (isAtSend ? queue.findLast(({ sent }) => sent === step) : undefined) ?? queue[0];
}

/**
 * Whether a loss is that of a crash in the middle of a step: it follows the crash at its time, and
 * the step before it has sent the message.
 */
export function isUnsentInStep(lines: readonly TraceLine[], at: number): boolean {
  const { time, node, event } = lines[at] as TraceLine; // one of the lines
  if (event.kind !== 'drop') return false;
  const crash = stepBefore(lines, at);
  const step = stepBefore(lines, crash);
  if (
    lines[crash]?.event.kind !== 'crash' ||
    lines[crash].node !== event.from ||
    lines[step]?.node !== event.from
  )
    return false;
  if (lines[crash].time !== time || lines[step].time !== time) return false;
  const isIt = (line: TraceLine) =>
    line.event.kind === 'drop' &&
    line.node === node &&
    line.event.from === event.from &&
    line.event.call === event.call;
  const lost = lines.slice(step, at).filter(isIt).length;
  return (
    lines[step].effects.filter(
      (effect) => effect.kind === 'send' && effect.to === node && effect.call === event.call,
    ).length > lost
  );
}

/** The last line before `at` that is none of a channel; −1 if there is none. */
export function stepBefore(lines: readonly TraceLine[], at: number): number {
  let index = at - 1;
  while (index >= 0 && isChannelEvent(lines[index] as TraceLine)) index--;
  return index;
}

/**
 * Whether a line is about the channel from `event.from` to its node, and not a step of that node.
 */
export const isChannelEvent = ({ event: { kind } }: TraceLine): boolean =>
  isChannelFault(kind) || kind === 'cut' || kind === 'heal';

const neverSent = ({ node, event }: TraceLine, index: number): ConclaveError =>
  new ConclaveError(
    'bad-trace',
    `Step ${index + 1} (${node}  ${eventText(event)}): no such message is in flight to ${node}`,
    'Is a line before it missing, or were the lines reordered?',
  );
