import { ConclaveError } from '../protocol/error.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { LocalState } from '../protocol/step.js';
import { canonical } from './canonical.js';
import { ContentTable } from './contents.js';
import { DataInterner, Interner } from './interner.js';
import { PairTable } from './pair-table.js';
import { type Place, PlaceTable } from './place-table.js';
import { type LocalStep, StepTable } from './step-table.js';
import type { Compiled } from './system.js';
import type { Action, World, Worlds } from './world.js';

/** The rest of a world: what the environment may still do to all, and choices to be answered. */
type Environment = Pick<World, 'choosing'> & { readonly remaining: Omit<World['remaining'], 'wishes'> };

/** What one node did in one local state. */
export interface DistinctStep {
  readonly node: NodeId;
  readonly state: LocalState;
  readonly action: Action;
}

/**
 * A system of worlds as vectors: one integer per node, one per channel, one for the environment.
 *
 * A protocol has many worlds but few *local* states. Each distinct step (node, local state, event) is put to XState once; from then on it is
 * a look-up. The semantics is that of {@link Worlds}, which is asked for every step.
 */
export class CompiledWorlds implements Compiled {
  readonly width: number;
  readonly places: readonly PlaceTable[];
  readonly messages = new DataInterner<Message>();
  readonly contents: ContentTable;
  readonly environments = new DataInterner<Environment>();
  readonly #actions = new DataInterner<Action>();
  /** By action, see {@link fairness}. */
  readonly #fairness: number[] = [];
  readonly #classes = new Interner<string>();
  readonly #nodes: readonly NodeId[];
  readonly #nodeIndex: ReadonlyMap<NodeId, number>;
  readonly #channelIndex = new Map<string, number>();
  readonly #receivers: readonly number[];
  readonly #steps = new StepTable();
  /** By node and place: its own possible steps. */
  readonly #own: (readonly number[] | undefined)[][];
  /** By channel: by place of the receiver and message, the step of its delivery. */
  readonly #deliveries: readonly PairTable[];
  /** By channel: by local state of the receiver and message, a step of its delivery, whatever the wishes. */
  readonly #receipts: readonly PairTable[];
  /** The only environment that takes no part: it may do nothing, and no choice is open. */
  readonly #calm: number;

  constructor(readonly worlds: Worlds) {
    const { nodes, links } = worlds.topology;
    this.#nodes = nodes;
    this.#nodeIndex = new Map(nodes.map((id, index) => [id, index]));
    for (const [index, { from, to }] of links.entries()) this.#channelIndex.set(`${from}→${to}`, index);
    this.#receivers = links.map(({ to }) => this.#indexOf(to));
    this.contents = new ContentTable(worlds.order);
    this.places = nodes.map(() => new PlaceTable());
    this.#own = nodes.map(() => []);
    this.#deliveries = links.map(() => new PairTable());
    this.#receipts = links.map(() => new PairTable());
    this.width = nodes.length + links.length + 1;
    this.#calm = this.#environment({ remaining: { losses: 0, duplications: 0, crashes: 0, restarts: 0 }, choosing: [] });
  }

  initial(into: Int32Array): void {
    this.encode(this.worlds.initial, into);
  }

  /** Writes `world` as a vector. */
  encode(world: World, into: Int32Array): void {
    for (const [index, id] of this.#nodes.entries()) into[index] = this.#placeIn(world, index, id);
    for (const [index, { from, to }] of this.worlds.topology.links.entries()) {
      let content = 0;
      for (const message of world.channels[`${from}→${to}`] ?? []) content = this.contents.push(content, this.#message(message));
      into[this.#nodes.length + index] = content;
    }
    into[this.width - 1] = this.#environment(world);
  }

  /** The world that a vector stands for. */
  decode(vector: Int32Array): World {
    const { links } = this.worlds.topology;
    const places = this.#nodes.map((_, index) => this.placeOf(vector, index));
    const { remaining, choosing } = this.environments.item(vector[this.width - 1] as number);
    return {
      nodes: Object.fromEntries(this.#nodes.map((id, index) => [id, (places[index] as Place).state])),
      channels: Object.fromEntries(
        links.flatMap(({ from, to }, index) => {
          const messages = this.messagesOf(vector, index);
          return messages.length === 0 ? [] : [[`${from}→${to}`, messages]];
        }),
      ),
      crashed: this.#nodes.filter((_, index) => places[index]?.crashed).sort(),
      choosing,
      remaining: { ...remaining, wishes: Object.fromEntries(this.#nodes.map((id, index) => [id, (places[index] as Place).wishes])) },
    };
  }

  placeOf(vector: Int32Array, node: number): Place {
    return this.#place(node, vector[node] as number);
  }

  messagesOf(vector: Int32Array, channel: number): readonly Message[] {
    return this.contents.list(vector[this.#nodes.length + channel] as number).map((message) => this.messages.item(message));
  }

  actionOf(action: number): Action {
    return this.#actions.item(action);
  }

  fairness(action: number): number {
    return this.#fairness[action] as number;
  }

  /** Whether an action is a wish, which the application may never have. */
  isWish(action: number): boolean {
    const known = this.actionOf(action);
    return known.type === 'command' && this.worlds.protocol.commands[known.command.type]?.kind === 'wish';
  }

  /** Every distinct step that was worked out: a node, its local state and what it took. Where the environment acts, steps leave no record. */
  *distinctSteps(): Generator<DistinctStep> {
    for (const [node, byPlace] of this.#own.entries())
      for (const [place, steps] of byPlace.entries()) for (const step of steps ?? []) yield this.#distinct(node, place, step);
    for (const [channel, byPlace] of this.#deliveries.entries())
      for (const [place, , step] of byPlace.entries()) yield this.#distinct(this.#receivers[channel] as number, place, step);
  }

  expand(
    vector: Int32Array,
    into: Int32Array,
    visit: (action: number) => void,
    fault: (action: number, error: ConclaveError) => void,
  ): void {
    if (vector[this.width - 1] !== this.#calm) return this.#expandSlowly(vector, into, visit, fault);
    const nodes = this.#nodes.length;
    for (let node = 0; node < nodes; node++) {
      const place = vector[node] as number;
      const steps = (this.#own[node] as (readonly number[] | undefined)[])[place] ?? this.#ownSteps(node, place);
      for (let index = 0; index < steps.length; index++) this.#take(steps[index] as number, node, vector, into, -1, 0, visit, fault);
    }
    for (let slot = nodes; slot < this.width - 1; slot++) {
      const content = vector[slot] as number;
      if (content === 0) continue;
      const node = this.#receivers[slot - nodes] as number;
      const place = vector[node] as number;
      const deliveries = this.#deliveries[slot - nodes] as PairTable;
      const ways = this.contents.ways(content);
      for (let way = 0; way < ways.length; way += 2) {
        const message = ways[way] as number;
        let step = deliveries.get(place, message);
        if (step < 0) step = this.#delivery(slot - nodes, node, place, message);
        this.#take(step, node, vector, into, slot, ways[way + 1] as number, visit, fault);
      }
    }
  }

  /** One step of `node`; the channel of `slot` (if any) is left with `rest`. */
  #take(
    step: number,
    node: number,
    vector: Int32Array,
    into: Int32Array,
    slot: number,
    rest: number,
    visit: (action: number) => void,
    fault: (action: number, error: ConclaveError) => void,
  ): void {
    const { code } = this.#steps;
    const rare = code[step + 3] === 1 ? this.#steps.step(step) : undefined;
    if (rare?.error) return fault(rare.action, rare.error);
    for (let index = 0; index < vector.length; index++) into[index] = vector[index] as number;
    into[node] = code[step + 1] as number;
    if (slot >= 0) into[slot] = rest;
    const end = code[step + 2] as number;
    for (let send = step + 4; send < end; send += 2) {
      const channel = code[send] as number;
      into[channel] = this.contents.push(into[channel] as number, code[send + 1] as number);
    }
    if (rare) {
      const environment = this.environments.item(this.#calm);
      into[this.width - 1] = this.#environment({ ...environment, choosing: rare.choosing });
    }
    visit(code[step] as number);
  }

  /** Where the environment itself may act, worlds are decoded and put to {@link Worlds}: rare, and never wrong. */
  #expandSlowly(
    vector: Int32Array,
    into: Int32Array,
    visit: (action: number) => void,
    fault: (action: number, error: ConclaveError) => void,
  ): void {
    const world = this.decode(vector);
    for (const action of this.worlds.actions(world)) {
      const id = this.#action(action);
      try {
        this.encode(this.worlds.next(world, action), into);
      } catch (error) {
        fault(id, asFault(error));
        continue;
      }
      visit(id);
    }
  }

  #ownSteps(node: number, place: number): readonly number[] {
    const world = this.#worldAround(node, place, {});
    const id = this.#nodes[node];
    const steps = this.worlds
      .actions(world)
      .filter((action) => (action.type === 'command' || action.type === 'timeout') && action.node === id)
      .map((action) => this.#steps.add(this.#localStep(world, node, action)));
    (this.#own[node] as (readonly number[])[])[place] = steps;
    return steps;
  }

  #delivery(channel: number, node: number, place: number, message: number): number {
    const places = this.places[node] as PlaceTable;
    const receipts = this.#receipts[channel] as PairTable;
    const state = places.stateOf(place);
    const { crashed } = places.item(place);
    const known = crashed ? -1 : receipts.get(state, message);
    const step = this.#steps.add(known >= 0 ? this.#inPlace(known, places, place) : this.#localDelivery(channel, node, place, message));
    if (known < 0 && !crashed) receipts.add(state, message, step);
    (this.#deliveries[channel] as PairTable).add(place, message, step);
    return step;
  }

  /** A known delivery, in another place with the same local state: it leaves wishes as they are. */
  #inPlace(known: number, places: PlaceTable, place: number): LocalStep {
    const step = this.#steps.step(known);
    return step.error ? step : { ...step, place: places.with(place, places.stateOf(step.place)) };
  }

  #localDelivery(channel: number, node: number, place: number, message: number): LocalStep {
    const { from, to } = this.worlds.topology.links[channel] as { readonly from: NodeId; readonly to: NodeId };
    const sent = this.messages.item(message);
    // What comes to a crashed node is gone.
    const type = this.#place(node, place).crashed ? 'drop' : 'deliver';
    return this.#localStep(this.#worldAround(node, place, { [`${from}→${to}`]: [sent] }), node, { type, from, to, message: sent });
  }

  /** A calm world with one node as wanted: what a node does depends on nothing else. The others are crashed, so that they do nothing. */
  #worldAround(node: number, place: number, channels: World['channels']): World {
    const { initial } = this.worlds;
    const id = this.#nodes[node] as NodeId;
    const { state, wishes, crashed } = this.#place(node, place);
    const { remaining } = this.environments.item(this.#calm);
    return {
      nodes: { ...initial.nodes, [id]: state },
      channels,
      crashed: crashed ? this.#nodes : this.#nodes.filter((other) => other !== id),
      choosing: [],
      remaining: { ...remaining, wishes: { [id]: wishes } },
    };
  }

  #localStep(world: World, node: number, action: Action): LocalStep {
    const id = this.#nodes[node] as NodeId;
    const known = this.#action(action);
    try {
      const { world: next, effects } = this.worlds.perform(world, action);
      const sends = effects.flatMap((effect) => (effect.type === 'send' ? [this.#slot(id, effect.to), this.#message(effect.message)] : []));
      return { action: known, place: this.#placeIn(next, node, id), sends, choosing: next.choosing };
    } catch (error) {
      return { action: known, place: -1, sends: [], choosing: [], error: asFault(error) };
    }
  }

  #place(node: number, place: number): Place {
    return (this.places[node] as PlaceTable).item(place);
  }

  #placeIn(world: World, index: number, id: NodeId): number {
    const state = world.nodes[id];
    if (!state) throw new ConclaveError('bad-input', `The world has no node '${id}'`);
    const place: Place = { state, wishes: world.remaining.wishes[id] ?? [], crashed: world.crashed.includes(id) };
    return (this.places[index] as PlaceTable).id(place);
  }

  #message(message: Message): number {
    return this.messages.id(message);
  }

  #environment({ remaining: { losses, duplications, crashes, restarts }, choosing }: Environment): number {
    return this.environments.id({ remaining: { losses, duplications, crashes, restarts }, choosing });
  }

  #distinct(node: number, place: number, step: number): DistinctStep {
    return { node: this.#nodes[node] as NodeId, state: this.#place(node, place).state, action: this.actionOf(this.#steps.action(step)) };
  }

  /** The slot of the channel. */
  #slot(from: NodeId, to: NodeId): number {
    return this.#nodes.length + (this.#channelIndex.get(`${from}→${to}`) ?? -1); // Worlds has refused a send without a channel
  }

  #indexOf(id: NodeId): number {
    return this.#nodeIndex.get(id) ?? -1; // a topology's links join its own nodes
  }

  #action(action: Action): number {
    const id = this.#actions.id(action);
    if (id === this.#fairness.length) {
      const name = this.#fairClass(action);
      this.#fairness.push(name === undefined ? -1 : this.#classes.id(name, () => name));
    }
    return id;
  }

  /**
   * What may not be put off for ever: a delivery (of the head, or under `any` order of each message), a time-out, a choice, a duty of the
   * application. Its wishes have a class, too, for questions about runs in which everybody wishes what it may; see {@link isWish}.
   */
  #fairClass(action: Action): string | undefined {
    switch (action.type) {
      case 'deliver':
        return `deliver ${action.from}→${action.to} ${this.worlds.order === 'any' ? canonical(action.message) : ''}`;
      case 'timeout':
        return `timeout ${action.node} ${action.timer}`;
      case 'choose':
        return `choose ${action.node}`;
      case 'command':
        return `command ${action.node} ${canonical(action.command)}`;
      default:
        return undefined;
    }
  }
}

function asFault(error: unknown): ConclaveError {
  if (error instanceof ConclaveError && (error.code === 'unhandled' || error.code === 'bad-protocol')) return error;
  throw error;
}
