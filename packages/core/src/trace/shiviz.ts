import { type NodeId, ofNode } from '../protocol/node.js';
import { isChannelEvent, matchMessages } from './matching.js';
import { eventText, statesText, type Trace } from './trace.js';

/**
 * The regular expression by which ShiViz reads a {@link shivizLog}; its first line, where ShiViz
 * looks for it in an uploaded file.
 */
export const shivizParser = String.raw`(?<host>\S*) (?<clock>{.*})\n(?<event>.*)`;

/**
 * The vector clock of each line of a trace, by index (Fidge 1988, Mattern 1989). A message carries
 * the clock of the step that sent it. The line of a channel is no event of a node: its clock is
 * undefined.
 *
 * @throws {ConclaveError} `bad-trace` when a message arrives that was not sent.
 */
export function vectorClocks(trace: Trace): readonly (VectorClock | undefined)[] {
  const sentIn = new Map(
    matchMessages(trace).flatMap(({ sent, delivered }) =>
      delivered.map((line) => [line, sent] as const),
    ),
  );
  const clocks: (VectorClock | undefined)[] = [];
  const latest = new Map<NodeId, VectorClock>();
  for (const [index, line] of trace.lines.entries()) {
    if (isChannelEvent(line)) {
      clocks.push(undefined);
      continue;
    }
    const sent = sentIn.get(index);
    const own = advanced(latest.get(line.node) ?? {}, line.node);
    const clock = merged(own, (sent === undefined ? undefined : clocks[sent]) ?? {});
    latest.set(line.node, clock);
    clocks.push(clock);
  }
  return clocks;
}

/**
 * A trace as a log for ShiViz: its parser and an empty line, then two lines per event,
 * `node {"node":1}` and what happened.
 *
 * @throws {ConclaveError} `bad-trace` when a message arrives that was not sent.
 */
export function shivizLog(trace: Trace): string {
  const clocks = vectorClocks(trace);
  const events = trace.lines.flatMap((line, index) => {
    const clock = clocks[index];
    if (!clock) return [];
    const states = statesText(line);
    return [
      `${line.node} ${JSON.stringify(clock)}`,
      `${eventText(line.event)}${states === '' ? '' : `, ${states}`}`,
    ];
  });
  return `${[shivizParser, '', ...events].join('\n')}\n`;
}

/**
 * How many events of each node happened before an event, or are the event; a node without an entry
 * has none (Fidge 1988, Mattern 1989).
 */
export type VectorClock = Readonly<Record<NodeId, number>>;

/** `clock` after one more event of node `self`. */
export const advanced = (clock: VectorClock, self: NodeId): VectorClock => ({
  ...clock,
  [self]: (ofNode(clock, self) ?? 0) + 1,
});

/** The larger entry of both for each node: what happened before one or the other. */
export const merged = (one: VectorClock, other: VectorClock): VectorClock => ({
  ...one,
  ...Object.fromEntries(
    Object.entries(other).map(([id, count]) => [id, Math.max(ofNode(one, id) ?? 0, count)]),
  ),
});
