import { ConclaveError } from '../protocol/error.js';
import type { Message, NodeId } from '../protocol/node.js';
import type { LocalState } from '../protocol/step.js';
import { canonical } from './canonical.js';
import { ContentTable } from './contents.js';
import { Interner } from './interner.js';
import type { Compiled } from './system.js';
import type { Action, World, Worlds } from './world.js';

/** One node with what the environment may still wish of it: what a slot of the vector stands for. */
export interface Place {
  readonly state: LocalState;
  readonly wishes: readonly number[];
  readonly crashed: boolean;
}

/** The rest of a world: what the environment may still do to all, and choices to be answered. */
type Environment = Pick<World, 'choosing'> & { readonly remaining: Omit<World['remaining'], 'wishes'> };

/** A step of one node, worked out once: what becomes of it, and what it sends (channel, message, channel, message …). */
interface LocalStep {
  readonly action: number;
  readonly place: number;
  readonly sends: readonly number[];
  /** Choices it opens; then the environment changes, too. */
  readonly choosing: World['choosing'];
  readonly error?: ConclaveError;
}

/** What one node did in one local state. */
export interface DistinctStep {
  readonly node: NodeId;
  readonly state: LocalState;
  readonly action: Action;
}

interface KnownAction {
  readonly action: Action;
  readonly fair: number;
}

/**
 * A system of worlds as vectors: one integer per node, one per channel, one for the environment.
 *
 * A protocol has many worlds but few *local* states. Each distinct step (node, local state, event) is put to XState once; from then on it is
 * a look-up. The semantics is that of {@link Worlds}, which is asked for every step.
 */
export class CompiledWorlds implements Compiled {
  readonly width: number;
  readonly places: readonly Interner<Place>[];
  readonly messages = new Interner<Message>();
  readonly contents: ContentTable;
  readonly environments = new Interner<Environment>();
  readonly known = new Interner<KnownAction>();
  readonly #classes = new Interner<string>();
  readonly #nodes: readonly NodeId[];
  readonly #nodeIndex: ReadonlyMap<NodeId, number>;
  readonly #channelIndex = new Map<string, number>();
  readonly #receivers: readonly number[];
  /** By node and place: its own possible steps. */
  readonly #own: (readonly LocalStep[] | undefined)[][];
  /** By channel, place of the receiver and message: the step of its delivery. */
  readonly #deliveries: (LocalStep | undefined)[][][];

  constructor(readonly worlds: Worlds) {
    const { nodes, links } = worlds.topology;
    this.#nodes = nodes;
    this.#nodeIndex = new Map(nodes.map((id, index) => [id, index]));
    for (const [index, { from, to }] of links.entries()) this.#channelIndex.set(`${from}→${to}`, index);
    this.#receivers = links.map(({ to }) => this.#indexOf(to));
    this.contents = new ContentTable(worlds.order);
    this.places = nodes.map(() => new Interner<Place>());
    this.#own = nodes.map(() => []);
    this.#deliveries = links.map(() => []);
    this.width = nodes.length + links.length + 1;
  }

  initial(into: Int32Array): void {
    this.encode(this.worlds.initial, into);
  }

  /** Writes `world` as a vector. */
  encode(world: World, into: Int32Array): void {
    for (const [index, id] of this.#nodes.entries()) into[index] = this.#place(world, index, id);
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
    return (this.places[node] as Interner<Place>).item(vector[node] as number);
  }

  messagesOf(vector: Int32Array, channel: number): readonly Message[] {
    return this.contents.list(vector[this.#nodes.length + channel] as number).map((message) => this.messages.item(message));
  }

  actionOf(action: number): Action {
    return this.known.item(action).action;
  }

  fairness(action: number): number {
    return this.known.item(action).fair;
  }

  /** Whether an action is a wish, which the application may never have. */
  isWish(action: number): boolean {
    const known = this.actionOf(action);
    return known.type === 'command' && this.worlds.protocol.commands[known.command.type]?.kind === 'wish';
  }

  /** Every distinct step that was worked out: a node, its local state and what it took. Where the environment acts, steps leave no record. */
  *distinctSteps(): Generator<DistinctStep> {
    for (const [node, byPlace] of this.#own.entries())
      for (const [place, steps] of byPlace.entries()) for (const { action } of steps ?? []) yield this.#distinct(node, place, action);
    for (const [channel, byPlace] of this.#deliveries.entries())
      for (const [place, steps] of byPlace.entries())
        for (const step of steps ?? []) if (step) yield this.#distinct(this.#receivers[channel] as number, place, step.action);
  }

  expand(
    vector: Int32Array,
    into: Int32Array,
    visit: (action: number) => void,
    fault: (action: number, error: ConclaveError) => void,
  ): void {
    const { remaining, choosing } = this.environments.item(vector[this.width - 1] as number);
    const { losses, duplications, crashes, restarts } = remaining;
    if (choosing.length > 0 || losses > 0 || duplications > 0 || crashes > 0 || restarts > 0)
      return this.#expandSlowly(vector, into, visit, fault);
    const nodes = this.#nodes.length;
    for (let node = 0; node < nodes; node++) {
      const steps = this.#own[node]?.[vector[node] as number] ?? this.#ownSteps(vector, node);
      for (const step of steps) this.#take(step, node, vector, into, -1, 0, visit, fault);
    }
    const { contents } = this;
    for (let channel = 0; channel < this.#receivers.length; channel++) {
      const content = vector[nodes + channel] as number;
      if (content === 0) continue;
      const node = this.#receivers[channel] as number;
      const ways = contents.ways(content);
      for (let way = 0; way < ways.length; way += 2) {
        const message = ways[way] as number;
        const step = this.#deliveries[channel]?.[vector[node] as number]?.[message] ?? this.#delivery(vector, channel, node, message);
        this.#take(step, node, vector, into, channel, ways[way + 1] as number, visit, fault);
      }
    }
  }

  /** One step of `node`; `channel` (if any) is left with `rest`. */
  #take(
    step: LocalStep,
    node: number,
    vector: Int32Array,
    into: Int32Array,
    channel: number,
    rest: number,
    visit: (action: number) => void,
    fault: (action: number, error: ConclaveError) => void,
  ): void {
    if (step.error) return fault(step.action, step.error);
    for (let index = 0; index < vector.length; index++) into[index] = vector[index] as number;
    into[node] = step.place;
    const nodes = this.#nodes.length;
    if (channel >= 0) into[nodes + channel] = rest;
    const { sends } = step;
    for (let index = 0; index < sends.length; index += 2) {
      const slot = nodes + (sends[index] as number);
      into[slot] = this.contents.push(into[slot] as number, sends[index + 1] as number);
    }
    if (step.choosing.length > 0) {
      const environment = this.environments.item(vector[this.width - 1] as number);
      into[this.width - 1] = this.#environment({ ...environment, choosing: step.choosing });
    }
    visit(step.action);
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

  #ownSteps(vector: Int32Array, node: number): readonly LocalStep[] {
    const world = this.decode(vector);
    const id = this.#nodes[node];
    const steps = this.worlds
      .actions(world)
      .filter((action) => (action.type === 'command' || action.type === 'timeout') && action.node === id)
      .map((action) => this.#localStep(world, node, action));
    (this.#own[node] as (readonly LocalStep[])[])[vector[node] as number] = steps;
    return steps;
  }

  #delivery(vector: Int32Array, channel: number, node: number, message: number): LocalStep {
    const { from, to } = this.worlds.topology.links[channel] as { readonly from: NodeId; readonly to: NodeId };
    // What comes to a crashed node is gone.
    const type = this.placeOf(vector, node).crashed ? 'drop' : 'deliver';
    const step = this.#localStep(this.decode(vector), node, { type, from, to, message: this.messages.item(message) });
    const byPlace = this.#deliveries[channel] as LocalStep[][];
    const place = vector[node] as number;
    byPlace[place] ??= [];
    (byPlace[place] as LocalStep[])[message] = step;
    return step;
  }

  #localStep(world: World, node: number, action: Action): LocalStep {
    const id = this.#nodes[node] as NodeId;
    const known = this.#action(action);
    try {
      const { world: next, effects } = this.worlds.perform(world, action);
      const sends = effects.flatMap((effect) =>
        effect.type === 'send' ? [this.#channel(id, effect.to), this.#message(effect.message)] : [],
      );
      return { action: known, place: this.#place(next, node, id), sends, choosing: next.choosing };
    } catch (error) {
      return { action: known, place: -1, sends: [], choosing: [], error: asFault(error) };
    }
  }

  #place(world: World, index: number, id: NodeId): number {
    const state = world.nodes[id];
    if (!state) throw new ConclaveError('bad-input', `The world has no node '${id}'`);
    const place: Place = { state, wishes: world.remaining.wishes[id] ?? [], crashed: world.crashed.includes(id) };
    return (this.places[index] as Interner<Place>).id(canonical(place), () => place);
  }

  #message(message: Message): number {
    return this.messages.id(canonical(message), () => message);
  }

  #environment({ remaining: { losses, duplications, crashes, restarts }, choosing }: Environment): number {
    const environment: Environment = { remaining: { losses, duplications, crashes, restarts }, choosing };
    return this.environments.id(canonical(environment), () => environment);
  }

  #distinct(node: number, place: number, action: number): DistinctStep {
    const { state } = (this.places[node] as Interner<Place>).item(place);
    return { node: this.#nodes[node] as NodeId, state, action: this.actionOf(action) };
  }

  #channel(from: NodeId, to: NodeId): number {
    return this.#channelIndex.get(`${from}→${to}`) ?? -1; // Worlds has refused a send without a channel
  }

  #indexOf(id: NodeId): number {
    return this.#nodeIndex.get(id) ?? -1; // a topology's links join its own nodes
  }

  #action(action: Action): number {
    return this.known.id(canonical(action), () => {
      const name = this.#fairClass(action);
      return { action, fair: name === undefined ? -1 : this.#classes.id(name, () => name) };
    });
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
