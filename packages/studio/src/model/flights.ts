/** When the messages of a run with times are on their way, and how far each one is at a moment. */
import { matchMessages } from '@conclave/core/internal/trace';
import type { Message, NodeId, Protocol } from '@conclave/core/protocol';
import { computed, type ReadonlySignal } from '@preact/signals';
import { memo } from '../base/collections.js';
import type { Session } from './session.js';
import { callOf } from './words.js';

/** A message of a run with times, on its channel. Times are in virtual milliseconds. */
export interface Flight {
  readonly call: string;
  readonly sent: number;
  /** When its last copy arrives, or is lost; undefined where it does not in this run. */
  readonly ends: number | undefined;
  /** From which moment on it is on its way, and until which: their depths. */
  readonly first: number;
  readonly last: number;
}

/** By channel, `a→b`. */
type Flights = ReadonlyMap<string, readonly Flight[]>;

/** The messages of the branch that is shown; undefined where it has no times. */
export const flightsOf = memo((session: Session): ReadonlySignal<Flights | undefined> => {
  const { run, tip } = session;
  return computed(() => {
    if (tip.value.step?.time === undefined) return undefined;
    const lines = run.lines(tip.value);
    const { header } = run.trace(run.start);
    const flights = new Map<string, Flight[]>();
    for (const { from, to, call, sent, delivered, lost, inFlight } of matchMessages({
      header,
      lines: lines.map(({ line }) => line),
    })) {
      const end = inFlight > 0 ? undefined : lines[Math.max(...delivered, ...lost)];
      const all = flights.get(`${from}→${to}`) ?? [];
      flights.set(`${from}→${to}`, all);
      all.push({
        call,
        sent: lines[sent]?.line.time ?? 0,
        ends: end?.line.time,
        first: lines[sent]?.moment.depth ?? 0,
        last: end?.moment.depth ?? Infinity,
      });
    }
    return flights;
  });
});

/**
 * How far each of the messages on a channel is on its way at `time`, from 0 to 1. One that does not
 * arrive in this run approaches the middle.
 */
export function progressOf(
  protocol: Protocol,
  flights: readonly Flight[],
  { from, messages, depth }: { from: NodeId; messages: readonly Message[]; depth: number },
  time: number,
): readonly number[] {
  const open = flights.filter(({ first, last }) => first <= depth && depth < last);
  return messages.map((message) => {
    const call = callOf(protocol, message, from);
    const flight = open.find((one) => one.call === call);
    if (!flight) return 0.5;
    open.splice(open.indexOf(flight), 1);
    const { sent, ends } = flight;
    const passed = Math.max(0, time - sent);
    if (ends === undefined) return passed / (2 * passed + 20);
    return ends <= sent ? 1 : Math.min(1, passed / (ends - sent));
  });
}
