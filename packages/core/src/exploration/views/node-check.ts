import type { Random } from '../../base/random.js';
import type { Json, Message, NodeId } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { canonical } from '../worlds/canonical.js';
import { inseparable, mentioned, restricted } from './data.js';
import type { Fixpoint } from './fixpoint.js';
import type { LocalEvent } from './local-event.js';
import type { Sent } from './local-steps.js';
import { type Comparison, Sight, stateKey } from './sight.js';
import type { Stepping } from './stepping.js';
import { textOf } from './text.js';
import { Unprovable } from './unprovable.js';

/** What views allow of single nodes: their states, and the messages that may arrive there. */
export interface Allowed {
  readonly states: ReadonlySet<string>;
  readonly arrivals: ReadonlySet<string>;
}

const arrivalKey = (from: NodeId, message: Message, at: string): string =>
  `${from} ${textOf(message)} ${at}`;

export function allowedBy({ views }: Fixpoint, stepping: Stepping, k: number): Allowed {
  const states = new Set<string>();
  const arrivals = new Set<string>();
  const names = stepping.family.names(k);
  for (const view of views.values())
    for (const [position, number] of view.entries()) {
      const id = names[position] ?? '';
      const key = stateKey(id, stepping.parts.at(number).state);
      states.add(key);
      for (const [index, other] of view.entries())
        for (const message of [
          ...stepping.deliverable(stepping.parts.at(other), id),
          ...stepping.piled(stepping.parts.at(other).role, stepping.parts.at(number).role),
        ])
          arrivals.add(arrivalKey(names[index] ?? '', message, key));
    }
  return { states, arrivals };
}

/** So many steps of the nodes of one network are compared. */
const mostSteps = 40_000;

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
      if (this.steps > mostSteps) return false;
      const [id, state, event] = next;
      if (event) this.#take(id, state, event);
      else for (const each of this.#events(id, state)) this.#take(id, state, each);
    }
    return true;
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
    const { allowed } = this.comparison;
    return (this.#seenBy.get(id) ?? []).every((mask) =>
      allowed.states.has(
        stateKey(this.#sight.named(id, mask), this.#sight.stateIn(id, state, mask)),
      ),
    );
  }

  #mayArrive(id: NodeId, state: LocalState, from: NodeId, message: Message): boolean {
    const { allowed } = this.comparison;
    return (this.#seenBy.get(id) ?? []).every((mask) => {
      if (!this.#sight.isIn(from, mask)) return true;
      const at = stateKey(this.#sight.named(id, mask), this.#sight.stateIn(id, state, mask));
      const seen = this.#sight.messageIn(message, mask);
      return allowed.arrivals.has(arrivalKey(this.#sight.named(from, mask), seen, at));
    });
  }

  #events(id: NodeId, state: LocalState): readonly LocalEvent[] {
    const { local } = this.comparison.stepping;
    return [
      ...local
        .possible(this.#sight.role(id), id, state)
        .map((command): LocalEvent => ({ kind: 'command', command })),
      ...state.timers.map(({ id: timer }): LocalEvent => ({ kind: 'timeout', timer })),
      ...this.#sight.names.flatMap((from) =>
        [...(this.#sent.get(`${from} ${id}`)?.values() ?? [])].map(
          (message): LocalEvent => ({ kind: 'message', from, message }),
        ),
      ),
    ];
  }

  #reach(id: NodeId, state: LocalState): void {
    const known = this.states.get(id) ?? new Map<string, LocalState>();
    this.states.set(id, known);
    const key = this.alike ? this.#alikeKey(id, state) : textOf(state);
    if (known.has(key) || !this.#isAllowed(id, state)) return;
    const others = new Set([...this.#sight.freeNames].filter((name) => name !== id));
    const bad = inseparable(state.context, others);
    if (bad !== undefined)
      throw new Unprovable(`views cannot show ${bad}: one item that names several nodes`);
    known.set(key, state);
    this.#queue.push([id, state]);
  }

  /** One text for states that differ in the names of free nodes only, as far as it sees. */
  #alikeKey(id: NodeId, state: LocalState): string {
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
    for (const [one, other] of this.alike ? this.#pairsLike(from, to) : [[from, to] as const])
      this.#arrive(one, other, message);
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
    for (const state of this.states.get(to)?.values() ?? [])
      this.#queue.push([to, state, { kind: 'message', from, message }]);
  }

  #take(id: NodeId, state: LocalState, event: LocalEvent): void {
    if (event.kind === 'message' && !this.#mayArrive(id, state, event.from, event.message)) return;
    this.steps++;
    for (const taken of this.#sight.compare(id, state, event)) {
      for (const sent of taken.sends) this.#send(id, sent);
      this.#reach(id, taken.state);
    }
  }
}
