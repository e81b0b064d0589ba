import type { Json, Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import type { Renaming } from './data.js';
import type { LocalEvent, Taken } from './local-event.js';
import type { Cause } from './numbers.js';
import { arranged, type Detail, type Part } from './part.js';
import { memoized } from './parts.js';
import { merges } from './weak-orders.js';

type Change = (value: number) => number;

/** Where ordered numbers are in data: by field, `[]` for the items of a list, `*` for nodes. */
interface Places {
  readonly inner: Map<string, Places>;
}
const newPlaces = (): Places => ({ inner: new Map() });

/**
 * The numbers of which only the order matters. In a view they are ranks: 0 is the least one, and
 * equal numbers have equal ranks.
 */
export class OrderedNumbers {
  /** By role, or type of message. */
  readonly #places = new Map<string, Places>();

  constructor(
    private readonly detail: Detail,
    private readonly everybody: Renaming,
  ) {
    for (const path of detail.ordered) {
      const [root = '', ...keys] = path.replaceAll('[]', '.[]').split('.');
      let places = memoized(this.#places, root, newPlaces);
      for (const key of keys) places = memoized(places.inner, key, newPlaces);
    }
  }

  get areNone(): boolean {
    return this.detail.ordered.size === 0;
  }

  /** Only what has ordered numbers is copied. */
  #changed(data: Json, { inner }: Places, change: Change): Json {
    if (typeof data === 'number') return inner.size === 0 ? change(data) : data;
    if (typeof data !== 'object' || data === null) return data;
    const ofItem = inner.get('[]');
    if (Array.isArray(data))
      return ofItem
        ? (data as readonly Json[]).map((item) => this.#changed(item, ofItem, change))
        : data;
    const fields: Record<string, Json> = { ...(data as Readonly<Record<string, Json>>) };
    for (const [key, places] of inner)
      for (const name of key === '*' ? this.everybody.names.keys() : [key])
        if (fields[name] !== undefined) fields[name] = this.#changed(fields[name], places, change);
    return fields;
  }

  #data(data: Json, root: string, change: Change): Json {
    const places = this.#places.get(root);
    return places ? this.#changed(data, places, change) : data;
  }

  state(role: string, state: LocalState, change: Change): LocalState {
    const context = this.#data(state.context, role, change) as LocalState['context']; // so it is
    return { ...state, context };
  }

  message(message: Message, change: Change): Message {
    const fields = this.#data(message as unknown as Json, message.type, change); // a record
    return { ...(fields as unknown as Message), type: message.type };
  }

  cause(role: string, [state, event]: Cause, change: Change): Cause {
    return [this.state(role, state, change), event && this.event(event, change)];
  }

  event(event: LocalEvent, change: Change): LocalEvent {
    if (event.kind !== 'message') return event;
    return { ...event, message: this.message(event.message, change) };
  }

  part({ role, state, out }: Part, change: Change): Part {
    const changed: Record<NodeId, readonly Message[]> = {};
    for (const [to, messages] of Object.entries(out))
      changed[to] = arranged(
        messages.map((message) => this.message(message, change)),
        this.detail,
      );
    return { role, state: this.state(role, state, change), out: changed };
  }

  taken(role: string, taken: Taken, change: Change): Taken {
    if (taken.failure) return taken;
    return {
      state: this.state(role, taken.state, change),
      sends: taken.sends.map(({ to, message }) => ({
        to,
        message: this.message(message, change),
      })),
    };
  }

  /** The distinct numbers that `visit` gets to see, the least first: their places are the ranks. */
  valuesIn(visit: (see: Change) => unknown): readonly number[] {
    const found = new Set<number>();
    visit((value) => {
      found.add(value);
      return value;
    });
    return [...found].sort((one, other) => one - other);
  }

  /** The same cause with ranks. */
  ranked(
    role: string,
    cause: Cause,
  ): { readonly cause: Cause; readonly values: readonly number[] } {
    if (this.areNone) return { cause, values: [] };
    const values = this.valuesIn((see) => this.cause(role, cause, see));
    return { cause: this.cause(role, cause, (value) => values.indexOf(value)), values };
  }

  /** What is reached from ranks that are doubled: the ranks of which it has a number one larger. */
  grownIn(visit: (see: Change) => unknown): ReadonlySet<number> {
    const odd = this.valuesIn(visit).filter((value) => value % 2 === 1);
    return new Set(odd.map((value) => (value - 1) / 2));
  }

  /** A message with ranks of its own. */
  rankedMessage(message: Message): Message {
    if (this.areNone) return message;
    const values = this.valuesIn((see) => this.message(message, see));
    return this.message(message, (value) => values.indexOf(value));
  }

  /** What arrives at a node, where the numbers of both may stand in any order. */
  placed(
    role: string,
    state: LocalState,
    arrival: LocalEvent,
  ): readonly (readonly [LocalState, LocalEvent])[] {
    if (this.areNone) return [[state, arrival]];
    const ranks = (visit: (see: Change) => unknown) => this.valuesIn(visit).length;
    return merges(
      ranks((see) => this.state(role, state, see)),
      ranks((see) => this.event(arrival, see)),
    ).map(({ one, other }) => [
      this.state(role, state, (rank) => one[rank] ?? 0),
      this.event(arrival, (rank) => other[rank] ?? 0),
    ]);
  }
}
