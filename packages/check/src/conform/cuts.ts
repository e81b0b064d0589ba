/**
 * The properties of a recorded run on all of its consistent cuts. Journals do not say which steps
 * of different nodes came first, so the run may have been in any state that no message contradicts.
 * A cut is a vector: by place of a node, how many of its events are in it.
 */
import { numberOf, systemViewOf } from '@conclave/core/internal';
import { Invariant, Judge } from '@conclave/core/internal/judge';
import type {
  InFlight,
  NodeView,
  Property,
  PropertyOf,
  Protocol,
  SystemView,
} from '@conclave/core/protocol';
import type { Sent } from './links.js';

/** An event of a node: a step with the choices that it leads to, or its end. */
export interface CutEvent {
  /** The node after it. */
  view: NodeView;
  /**
   * By place of a node: how many of its events happened before this one, this one included (Fidge
   * 1988, Mattern 1989).
   */
  readonly clock: Int32Array;
  readonly file: string;
  readonly line: number;
}

/** What the cuts showed. */
export interface CutsFound {
  /** How many cuts were looked at. */
  readonly cuts: number;
  /** Whether those were all. */
  readonly isComplete: boolean;
  /** The event that leads to a cut in which the property does not hold. */
  readonly violations: ReadonlyMap<Property, CutEvent>;
}

/** The events of a run, and its messages with their places. */
export interface CutRun {
  /** By place of a node. The first event of each is its start. */
  readonly events: readonly (readonly CutEvent[])[];
  readonly messages: readonly { readonly sent: Sent; readonly from: number; readonly to: number }[];
  readonly isUncertain: boolean;
}

/**
 * Looks at every consistent cut in which all nodes have started: each global state that the run may
 * have been in, as far as messages tell (Chandy, Lamport 1985; Cooper, Marzullo 1991). Level by
 * level, by the number of events.
 */
export function judgeCuts(
  views: JournalViews,
  properties: readonly Property[],
  run: CutRun,
  most: number,
): CutsFound {
  const { events } = run;
  const violations = new Map<Property, CutEvent>();
  let latest: CutEvent | undefined;
  const judge = new Judge(views.invariants(properties), (property) => {
    if (latest) violations.set(property, latest);
  });
  const numbers = new Map(
    properties.flatMap((property) =>
      property.kind === 'increases'
        ? [[property, events.map((list) => numbersOf(property, list))] as const]
        : [],
    ),
  );
  let level = new Map<string, Int32Array>();
  const first = Int32Array.from(events, (list) => Math.min(1, list.length));
  level.set(first.join(), first);
  let cuts = 0;
  while (level.size > 0) {
    const next = new Map<string, Int32Array>();
    for (const cut of level.values()) {
      if (++cuts > most) return { cuts: most, isComplete: false, violations };
      latest = latestIn(events, cut);
      if (latest) judge.look(views.system(viewsAt(events, cut), () => inFlight(run, cut)));
      for (const [place, list] of events.entries()) {
        const event = list[countAt(cut, place)];
        if (!event || !isEnabled(event, cut, place)) continue;
        judgeNumbers(numbers, place, cut, event, violations);
        const after = cut.with(place, countAt(event.clock, place));
        next.set(after.join(), after);
      }
    }
    level = next;
  }
  return { cuts, isComplete: true, violations };
}

const countAt = (cut: Int32Array, place: number): number => cut[place] as number; // one for each node

/** The last event of each node in the cut. */
const lastEvents = (events: CutRun['events'], cut: Int32Array): readonly CutEvent[] =>
  events.flatMap((list, place) => list[countAt(cut, place) - 1] ?? []);

/** An event of the cut that happened before none of the others. */
function latestIn(events: CutRun['events'], cut: Int32Array): CutEvent | undefined {
  const last = lastEvents(events, cut);
  return last.find((event) =>
    last.every((other) => other === event || !includes(other.clock, event.clock)),
  );
}

const includes = (one: Int32Array, other: Int32Array): boolean =>
  other.every((count, place) => count <= countAt(one, place));

/** Whether all that happened before the event is in the cut. */
const isEnabled = ({ clock }: CutEvent, cut: Int32Array, place: number): boolean =>
  clock.every((count, other) => other === place || count <= countAt(cut, other));

const viewsAt = (events: CutRun['events'], cut: Int32Array): readonly NodeView[] =>
  lastEvents(events, cut).map(({ view }) => view);

function inFlight({ messages, isUncertain }: CutRun, cut: Int32Array): InFlightNow {
  const inFlight: InFlight[] = [];
  for (const { sent, from, to } of messages) {
    const isSent = sent.event < countAt(cut, from);
    const isReceived = sent.received !== undefined && sent.received < countAt(cut, to);
    if (isSent && !isReceived)
      inFlight.push({ from: sent.from, to: sent.to, message: sent.message });
  }
  return { messages: inFlight, isUncertain: isUncertain && inFlight.length > 0 };
}

/** By event: the number after it, and the largest so far. */
interface Numbers {
  readonly own: readonly (number | undefined)[];
  readonly largest: readonly number[];
}

function numbersOf(property: PropertyOf<'increases'>, events: readonly CutEvent[]): Numbers {
  const own = events.map(({ view }) =>
    view.crashed ? undefined : numberOf(property, property.numberOf, view),
  );
  let most = -Infinity;
  return { own, largest: own.map((number) => (most = Math.max(most, number ?? -Infinity))) };
}

/**
 * A number grows in every order of the events if it is larger than all of each cut that its event
 * extends.
 */
function judgeNumbers(
  numbers: ReadonlyMap<PropertyOf<'increases'>, readonly Numbers[]>,
  place: number,
  cut: Int32Array,
  event: CutEvent,
  violations: Map<Property, CutEvent>,
): void {
  for (const [property, byPlace] of numbers) {
    const at = countAt(cut, place);
    const { own } = byPlace[place] as Numbers; // one for each node
    const [before, number] = [own[at - 1], own[at]];
    const isSame = number === before || Object.is(number, before); // NaN is the same as itself
    if (number === undefined || isSame || violations.has(property)) continue;
    const largest = byPlace.reduce(
      (most, { largest }, other) => Math.max(most, largest[countAt(cut, other) - 1] ?? -Infinity),
      -Infinity,
    );
    if (!(number > largest)) violations.set(property, event);
  }
}

/** The messages in flight, and whether one of them may have been lost. */
export interface InFlightNow {
  readonly messages: readonly InFlight[];
  readonly isUncertain: boolean;
}

/** The systems that journals tell, as properties see them. */
export class JournalViews {
  /** By property: why it could not be judged everywhere. */
  readonly notes = new Map<Property, string>();
  /** Whether the property that is judged has looked at messages that may be lost. */
  sawUncertain = false;

  constructor(readonly protocol: Protocol) {}

  system(nodes: readonly NodeView[], inFlight: () => InFlightNow): SystemView {
    return systemViewOf(this.protocol, nodes, () => {
      const { messages, isUncertain } = inFlight();
      this.sawUncertain ||= isUncertain;
      return messages;
    });
  }

  /** The trackers of the properties of states. */
  invariants(properties: readonly Property[]): readonly Invariant[] {
    return properties.flatMap((property) =>
      property.kind === 'always' || property.kind === 'never'
        ? new CertainInvariant(property, this)
        : [],
    );
  }
}

/** An invariant that counts as holding where it depends on messages that may be lost. */
class CertainInvariant extends Invariant {
  constructor(
    property: Invariant['property'],
    private readonly views: JournalViews,
  ) {
    super(property);
  }

  override system(system: SystemView): void {
    const { views } = this;
    views.sawUncertain = false;
    super.system(system);
    if (!this.decided || !views.sawUncertain) return;
    this.decided = undefined;
    views.notes.set(
      this.property,
      'not judged where it counts messages in flight that may be lost',
    );
  }
}
