import type { Json, Message, NodeId } from '../../protocol/node.js';
import { type LocalState, start } from '../../protocol/step.js';
import { ring } from '../../topology/generators.js';
import { canonical } from '../worlds/canonical.js';
import type { World } from '../worlds/world.js';
import { outside, type Renaming } from './data.js';
import type { Family } from './family.js';
import type { LocalSteps } from './local-steps.js';
import { arranged, type Detail, messageIn, stateIn } from './part.js';
import { memoized } from './parts.js';
import { type Guesses, guessesOf } from './ring-names.js';
import { textOf } from './text.js';
import { Unprovable } from './unprovable.js';

/** A node of a ring, and what is on its way from it to the next one: the first message is ahead. */
export interface Place {
  readonly id: NodeId;
  readonly state: LocalState;
  readonly sent: readonly Message[];
}

/** The nodes of a ring in their order, from the first name on. */
export type RingWorld = readonly Place[];

export const ringKey = (world: RingWorld): string =>
  world.map(({ id, state, sent }) => `${id} ${textOf(state)} ${canonical(sent)}`).join(' | ');

export const nextOf = <T>(items: readonly T[], index: number): T =>
  items[(index + 1) % items.length] as T; // it is a ring

export const isAboutOutside = (message: Message): boolean =>
  Object.values(message).includes(outside);

/** Some nodes of a ring. */
export interface RingGroup {
  readonly renaming: Renaming;
  /** Their names in the whole ring, in its order, from the first name on. */
  readonly order: readonly NodeId[];
  /** States as they see them, by node. */
  readonly seen: Map<NodeId, Map<LocalState, LocalState>>;
}

/** Worlds of rings, in any order of the names, and what some of the nodes see of them. */
export class RingWorlds {
  readonly role: string;
  /** The fields of a context that name the next node. */
  readonly links: readonly string[];

  readonly #groups = new Map<string, RingGroup>();
  #order = '';
  readonly #guesses = new Map<string, Guesses>();

  constructor(
    readonly family: Family,
    readonly detail: Detail,
    private readonly local: LocalSteps,
  ) {
    const [role = '', ...others] = Object.keys(family.protocol.roles);
    if (others.length > 0) throw new Unprovable('its nodes have several roles');
    this.role = role;
    const [a = '', b = '', c = '', d = ''] = family.free;
    const some = [[a, b, c, d] as const, [a, c, b, d] as const].flatMap((order) =>
      this.initial(order).map(({ state }, index, all) => [state, nextOf(all, index).id] as const),
    );
    this.links = Object.keys(some[0]?.[0].context ?? {}).filter((field) =>
      some.every(([{ context }, next]) => context[field] === next),
    );
  }

  /** The world in which the ring of these nodes starts. */
  initial(order: readonly NodeId[]): RingWorld {
    const { protocol } = this.family;
    const topology = ring(order);
    const made = protocol.roles[this.role];
    if (!made) throw new Unprovable(`there is no role '${this.role}'`);
    return order.map((id, index) => {
      const taken = this.local.settled(
        this.role,
        start(made.machine, id, made.input(id, topology)),
      );
      if (taken.failure) throw taken.failure;
      if (taken.sends.some(({ to }) => to !== nextOf(order, index))) throw stranger;
      const sent = taken.sends.map(({ message }) => message);
      return { id, state: taken.state, sent: arranged(sent, this.detail) };
    });
  }

  /** The world of a whole ring in exploration, without the numbers that views forget. */
  of({ nodes, channels }: World, order: readonly NodeId[]): RingWorld {
    const world = order.map((id, index): Place => {
      const state = nodes[id];
      if (!state) throw new Unprovable(`there is no node '${id}'`);
      return { id, state, sent: channels[`${id}→${nextOf(order, index)}`] ?? [] };
    });
    return this.seen(world, order);
  }

  /** What the nodes of a view may be called, and those outside that it mentions so often. */
  guesses(size: number, mentions: number): Guesses {
    return memoized(this.#guesses, `${size} ${mentions}`, () =>
      guessesOf(this.family.free, size, mentions),
    );
  }

  /** Some nodes of a ring, which get the first names, in their order. */
  group(order: readonly NodeId[], chosen: readonly NodeId[]): RingGroup {
    const names = [...chosen].sort();
    const whole = order.join();
    if (whole !== this.#order) this.#groups.clear(); // those of a ring are needed for a while
    this.#order = whole;
    return memoized(this.#groups, names.join(), () => {
      const { free } = this.family;
      const renaming = {
        all: new Set(order),
        names: new Map(names.map((id, index) => [id, free[index] ?? id])),
      };
      const start = order.indexOf(names[0] ?? '');
      const fromStart = [...order.slice(start), ...order.slice(0, start)];
      const left = fromStart.filter((id) => renaming.names.has(id));
      return { renaming, order: left, seen: new Map() };
    });
  }

  /** A state as those in `renaming` see it, of which one is the next node. */
  stateIn(state: LocalState, next: NodeId, renaming: Renaming): LocalState {
    const links = Object.fromEntries(this.links.map((field) => [field, next]));
    const context: Readonly<Record<string, Json>> = { ...state.context, ...links };
    return stateIn(this.role, { ...state, context }, renaming, this.detail);
  }

  /** The state of a node as a group sees it of which it is one; the same object each time. */
  stateInGroup(id: NodeId, state: LocalState, { seen, order, renaming }: RingGroup): LocalState {
    const known = seen.get(id) ?? new Map<LocalState, LocalState>();
    seen.set(id, known);
    let inGroup = known.get(state);
    if (!inGroup) {
      inGroup = this.stateIn(state, nextOf(order, order.indexOf(id)), renaming);
      known.set(state, inGroup);
    }
    return inGroup;
  }

  /**
   * The ring of those in `chosen` alone: what is on its way between two of them, in whatever channel,
   * is on its way from one to the other, if it is about them.
   */
  seen(world: RingWorld, chosen: readonly NodeId[]): RingWorld {
    const names = world.map(({ id }) => id);
    const group = this.group(names, chosen);
    const { order, renaming } = group;
    const first = names.indexOf(order[0] ?? '');
    const sent = new Map<NodeId, Message[]>();
    let behind = order[0] ?? '';
    for (let index = 0; index < world.length; index++) {
      const place = world[(first + index) % world.length] as Place; // it is a ring
      if (renaming.names.has(place.id)) behind = place.id;
      if (place.sent.length > 0) sent.set(behind, [...place.sent, ...(sent.get(behind) ?? [])]);
    }
    return order.map((id) => {
      const { state } = world[names.indexOf(id)] as Place; // it has all of them
      return {
        id: renaming.names.get(id) ?? id,
        state: this.stateInGroup(id, state, group),
        sent: this.visible(sent.get(id) ?? [], renaming),
      };
    });
  }

  /** Its views of `k` nodes. */
  views(world: RingWorld, k: number): readonly RingWorld[] {
    const names = world.map(({ id }) => id);
    return choices(names, k).map((chosen) => this.seen(world, chosen));
  }

  visible(messages: readonly Message[], renaming: Renaming): readonly Message[] {
    const seen = messages.map((message) => messageIn(message, renaming, this.detail));
    return arranged(
      seen.filter((message) => !isAboutOutside(message)),
      this.detail,
    );
  }
}

export const stranger = new Unprovable('a node sends to another one than the next');

/** All ways to choose `size` items. */
export function choices<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  if (size === 0) return [[]];
  return items.flatMap((item, index) =>
    choices(items.slice(index + 1), size - 1).map((others) => [item, ...others]),
  );
}
