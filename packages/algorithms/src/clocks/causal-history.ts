/**
 * Causal histories (Schwarz & Mattern 1994): for each event, the set of all events that happened
 * before it. The judge of logical clocks.
 */
import type { Json, NodeStep, NodeView, SystemView } from '@conclave/core/protocol';

/** An event of a node, such as `a 1`, with the reading of the clock after it. */
export type StampedEvent = {
  readonly id: string;
  readonly ts: Json;
  /** The events that happened before it. */
  readonly past: readonly string[];
};

/**
 * The events of a node, the first one first. Each message carries the past of its receipt: the
 * event that sent it, and what happened before that.
 */
export const causalHistory = {
  initial: (): readonly StampedEvent[] => [],
  after: (events: readonly StampedEvent[], { after, label }: NodeStep): readonly StampedEvent[] => {
    const past = new Set([...upToLast(events), ...(Array.isArray(label) ? label.map(String) : [])]);
    return [
      ...events,
      {
        id: `${after.id} ${events.length + 1}`,
        ts: after.context.clock as Json,
        past: [...past].sort(),
      },
    ]; // as the machine's own types say
  },
  label: upToLast,
};

/** The last event, and what happened before it. */
function upToLast(events: readonly StampedEvent[]): readonly string[] {
  const last = events.at(-1);
  return last ? [...last.past, last.id] : [];
}

// as causalHistory makes it
const eventsOfNode = ({ history }: NodeView) => (history ?? []) as readonly StampedEvent[];

/** All events so far. */
export const eventsOf = ({ nodes }: Pick<SystemView, 'nodes'>): readonly StampedEvent[] =>
  nodes.flatMap(eventsOfNode);

/** The node of an event. */
export const nodeOf = (id: string): string => id.slice(0, id.lastIndexOf(' '));
