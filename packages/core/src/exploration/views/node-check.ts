import type { Random } from '../../base/random.js';
import type { Json, Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { canonical, sameData } from '../worlds/canonical.js';
import { inseparable, mentioned, restricted } from './data.js';
import type { Fixpoint } from './fixpoint.js';
import type { LocalEvent, Sent } from './local-event.js';
import { type Comparison, Sight, stateKey } from './sight.js';
import type { Stepping } from './stepping.js';
import { textOf } from './text.js';
import { Unprovable } from './unprovable.js';

/** What views allow of single nodes: their states, and the messages that may arrive there. */
export interface Allowed {
  readonly states: ReadonlySet<string>;
  readonly arrivals: ReadonlySet<string>;
}

/** Of a node that has `state`, where its numbers have ranks. */
const rankedKey = ({ local }: Stepping, role: string, id: NodeId, state: LocalState): string =>
  stateKey(id, local.ordered.ranked(role, [state, undefined]).cause[0]);

/** Of a message that arrives there: their numbers have ranks together. */
function arrivalKey(
  { local }: Stepping,
  role: string,
  [id, state]: readonly [NodeId, LocalState],
  arrival: Arrival,
): string {
  const [rankedState, event = arrival] = local.ordered.ranked(role, [state, arrival]).cause;
  const message = event.kind === 'message' ? textOf(event.message) : '';
  return `${arrival.from} ${message} ${stateKey(id, rankedState)}`;
}

type Arrival = Extract<LocalEvent, { readonly kind: 'message' }>;

export function allowedBy({ views }: Fixpoint, stepping: Stepping, k: number): Allowed {
  const states = new Set<string>();
  const arrivals = new Set<string>();
  const names = stepping.family.names(k);
  for (const view of views.values())
    for (const [position, number] of view.entries()) {
      const id = names[position] ?? '';
      const { role, state } = stepping.parts.at(number);
      states.add(rankedKey(stepping, role, id, state));
      for (const [index, other] of view.entries())
        for (const message of [
          ...stepping.deliverable(stepping.parts.at(other), id),
          ...stepping.piled(stepping.parts.at(other).role, role),
        ]) {
          const arrival = { kind: 'message', from: names[index] ?? '', message } as const;
          arrivals.add(arrivalKey(stepping, role, [id, state], arrival));
        }
    }
  return { states, arrivals };
}

/** So many steps of the nodes of one network are compared. */
const mostSteps = 40_000;
/** In networks of which not all steps are compared, where each stands for numbers in many orders. */
const mostOrdered = 20_000;

/**
 * The steps of the nodes of one network, in all states and with all messages that the views allow.
 * Each is compared with the step that the node takes in the worlds of a few nodes.
 */
export class NodeCheck {
  /** By node, the states that its steps lead to. */
  readonly states = new Map<NodeId, Map<string, LocalState>>();
  readonly #sent = new Map<string, Map<string, Message>>();
  readonly #queue: (readonly [NodeId, LocalState, LocalEvent?])[] = [];
  readonly #seenBy: ReadonlyMap<NodeId, readonly number[]>;
  readonly #sight: Sight;
  steps = 0;

  /**
   * @param free how many free nodes the network has
   * @param alike of states that differ in the names of free nodes only, one is looked at
   */
  constructor(
    private readonly comparison: Comparison & { readonly allowed: Allowed },
    private readonly free: number,
    private readonly alike: boolean,
  ) {
    this.#sight = new Sight(comparison, free);
    this.#seenBy = new Map(
      this.#sight.names.map((id) => [
        id,
        this.#sight.views.filter((mask) => this.#sight.isIn(id, mask)),
      ]),
    );
  }

  /** False where it took too many steps; then not all are compared. */
  run(): boolean {
    const { stepping } = this.comparison;
    const initial = stepping.initial(this.free);
    for (const [position, number] of initial.entries()) {
      const part = stepping.parts.at(number);
      const id = this.#sight.names[position] ?? '';
      for (const [to, messages] of Object.entries(part.out))
        for (const message of messages) this.#send(id, { to, message });
      this.#reach(id, part.state);
    }
    for (let next = this.#queue.pop(); next; next = this.#queue.pop()) {
      if (this.steps > this.#most) return false;
      const [id, state, event] = next;
      if (event) this.#take(id, state, event);
      else for (const cause of this.#causes(id, state)) this.#take(id, ...cause);
    }
    return true;
  }

  get #most(): number {
    return this.#isOfOne ? mostOrdered : mostSteps;
  }

  /** Whether a network with one node more will have few enough steps. */
  get mayGrow(): boolean {
    return !this.#isOfOne || 4 * this.steps <= mostOrdered;
  }

  /** Only the steps of the middle one of nodes that differ in names are looked at. */
  get #isOfOne(): boolean {
    return this.alike && !this.comparison.stepping.local.ordered.areNone;
  }

  #isLookedAt(id: NodeId): boolean {
    const like = this.#sight.names.filter(
      (name) => this.#sight.role(name) === this.#sight.role(id),
    );
    return !this.#isOfOne || like[like.length >> 1] === id;
  }

  /** Some of the messages that a node may have sent, at most one to each other node. */
  randomMessages(from: NodeId, random: Random): Readonly<Record<NodeId, readonly Message[]>> {
    const out: Record<NodeId, readonly Message[]> = {};
    for (const to of this.#sight.names) {
      const messages = [...(this.#sent.get(`${from} ${to}`)?.values() ?? [])];
      if (messages.length > 0 && random.chance(1 / 3)) out[to] = [random.pick(messages)];
    }
    return out;
  }

  #isAllowed(id: NodeId, state: LocalState): boolean {
    const { allowed, stepping } = this.comparison;
    const role = this.#sight.role(id);
    return (this.#seenBy.get(id) ?? []).every((mask) => {
      const seen = this.#sight.stateIn(id, state, mask);
      return allowed.states.has(rankedKey(stepping, role, this.#sight.named(id, mask), seen));
    });
  }

  #mayArrive(id: NodeId, state: LocalState, { from, message }: Arrival): boolean {
    const { allowed, stepping } = this.comparison;
    const role = this.#sight.role(id);
    return (this.#seenBy.get(id) ?? []).every((mask) => {
      if (!this.#sight.isIn(from, mask)) return true;
      const at = [this.#sight.named(id, mask), this.#sight.stateIn(id, state, mask)] as const;
      const seen: Arrival = {
        kind: 'message',
        from: this.#sight.named(from, mask),
        message: this.#sight.messageIn(message, mask),
      };
      return allowed.arrivals.has(arrivalKey(stepping, role, at, seen));
    });
  }

  /** What may happen to a node, with its numbers and those of a message in any order. */
  #causes(id: NodeId, state: LocalState): readonly (readonly [LocalState, LocalEvent])[] {
    const { local } = this.comparison.stepping;
    const own = local.ownEvents(this.#sight.role(id), id, state);
    return [
      ...own.map((event) => [state, event] as const),
      ...this.#sight.names.flatMap((from) =>
        [...(this.#sent.get(`${from} ${id}`)?.values() ?? [])].flatMap((message) =>
          this.#arrivals(id, state, { kind: 'message', from, message }),
        ),
      ),
    ];
  }

  #arrivals(id: NodeId, state: LocalState, arrival: Arrival) {
    return this.comparison.stepping.local.ordered.placed(this.#sight.role(id), state, arrival);
  }

  #reach(id: NodeId, reached: LocalState): void {
    const { ordered } = this.comparison.stepping.local;
    const [state] = ordered.ranked(this.#sight.role(id), [reached, undefined]).cause;
    const known = this.states.get(id) ?? new Map<string, LocalState>();
    this.states.set(id, known);
    const key = this.alike ? this.#alikeKey(id, state) : textOf(state);
    if (known.has(key) || !this.#isAllowed(id, state)) return;
    const others = new Set([...this.#sight.freeNames].filter((name) => name !== id));
    const bad = inseparable(state.context, others);
    if (bad !== undefined)
      throw new Unprovable(`views cannot show ${bad}: one item that names several nodes`);
    known.set(key, state);
    if (this.#isLookedAt(id)) this.#queue.push([id, state]);
  }

  /**
   * One text for states that differ in the names of free nodes only, as far as it sees: the names are
   * in the order in which they appear; of one node, in what is not as it was at the start.
   */
  #alikeKey(id: NodeId, given: LocalState): string {
    const [first] = this.#isOfOne ? (this.states.get(id)?.values() ?? []) : [];
    const state = {
      ...given,
      context: Object.fromEntries(
        Object.entries(given.context).filter(
          ([key, value]) => !sameData(value, first?.context[key]),
        ),
      ),
    };
    const names = new Map<NodeId, NodeId>([[id, id]]);
    for (const name of this.comparison.family.fixed) names.set(name, name);
    const text = canonical(state.context);
    for (const [quoted] of text.matchAll(/"[^"]*"/g)) {
      const name = quoted.slice(1, -1);
      if (this.#sight.freeNames.has(name) && !names.has(name)) names.set(name, `#${names.size}`);
    }
    const renaming = { all: new Set<NodeId>(), names };
    const context = restricted(state.context, renaming, (_, value) => value, '');
    return canonical({ ...state, context });
  }

  #send(from: NodeId, { to, message }: Sent): void {
    const others = new Set(
      [...this.#sight.freeNames].filter((name) => name !== from && name !== to),
    );
    for (const field of Object.values(message as unknown as Record<string, Json>))
      if (typeof field === 'object' && mentioned(field, others).size > 0)
        throw new Unprovable(
          `views cannot show a list or record of nodes in a message: ${canonical(message)}`,
        );
    this.#requirePiled(from, to, message);
    const ranked = this.comparison.stepping.local.ordered.rankedMessage(message);
    for (const [one, other] of this.alike ? this.#pairsLike(from, to) : [[from, to] as const])
      this.#arrive(one, other, ranked);
  }

  #requirePiled(from: NodeId, to: NodeId, message: Message): void {
    const { detail, stepping } = this.comparison;
    if (!detail.piling.has(message.type)) return;
    const key = textOf(message);
    const piled = stepping.piled(this.#sight.role(from), this.#sight.role(to));
    if (!piled.some((other) => textOf(other) === key))
      throw new Unprovable(`no world of a few nodes sends ${key}`);
  }

  /** The pairs of nodes with the same roles. */
  #pairsLike(from: NodeId, to: NodeId): readonly (readonly [NodeId, NodeId])[] {
    const like = (id: NodeId) =>
      this.#sight.names.filter((name) => this.#sight.role(name) === this.#sight.role(id));
    const topology = this.comparison.family.topology(this.free);
    return like(from).flatMap((one) =>
      like(to).flatMap((other) =>
        one !== other && topology.link(one, other) ? [[one, other] as const] : [],
      ),
    );
  }

  #arrive(from: NodeId, to: NodeId, message: Message): void {
    const channel = `${from} ${to}`;
    const known = this.#sent.get(channel) ?? new Map<string, Message>();
    this.#sent.set(channel, known);
    const key = textOf(message);
    if (known.has(key)) return;
    known.set(key, message);
    if (!this.#isLookedAt(to)) return;
    for (const known of this.states.get(to)?.values() ?? [])
      for (const [state, event] of this.#arrivals(to, known, { kind: 'message', from, message }))
        this.#queue.push([to, state, event]);
  }

  #take(id: NodeId, state: LocalState, event: LocalEvent): void {
    if (event.kind === 'message' && !this.#mayArrive(id, state, event)) return;
    this.steps++;
    const { local } = this.comparison.stepping;
    for (const [before, heardOf = event] of local.spaced(this.#sight.role(id), [state, event]))
      for (const taken of this.#sight.compare(id, before, heardOf)) {
        for (const sent of taken.sends) this.#send(id, sent);
        this.#reach(id, taken.state);
      }
  }
}
