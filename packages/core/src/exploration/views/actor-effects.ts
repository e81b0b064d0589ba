import type { Message } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { canonical } from '../worlds/canonical.js';
import { outside } from './data.js';
import type { LocalEvent } from './local-event.js';
import { joinedStates, messageIn, stateIn } from './part.js';
import { memoized } from './parts.js';
import type { Stepping } from './stepping.js';
import { textOf } from './text.js';
import { Unprovable } from './unprovable.js';
import { merges } from './weak-orders.js';

/** What a node knows in a view of two, and a message that the other one may have for it. */
export interface Relation {
  readonly role: string;
  /** Its place in the view. */
  readonly position: number;
  /** With ranks, which are those of the message, too. */
  readonly state: LocalState;
  readonly message?: Message;
}

/** What a step of the node makes of its part of the view. */
export interface Effect {
  readonly event: LocalEvent;
  readonly state: LocalState;
  /** To the other node of the view. */
  readonly sent: readonly Message[];
  /**
   * Its numbers are doubled ranks, or one larger, of an order of so many ranks, which has the numbers
   * of the relation, and some that the node has from others.
   */
  readonly ranks: number;
  /** Where the ranks of the relation are in that order. */
  readonly known: readonly number[];
}

/** The state of a node in a network of a few, with ranks, and where those of the relation are. */
interface Scene {
  readonly role: string;
  readonly free: number;
  readonly actor: number;
  readonly other: number;
  readonly state: LocalState;
  readonly arriving?: { readonly from: number; readonly message: Message };
  /** How many distinct numbers it has. */
  readonly ranks: number;
  readonly known: readonly number[];
  /** The same with names for one node more and other ranks. */
  readonly wide: Map<string, Scene>;
  /** With a third node, by what is known of that, and where it stands. */
  readonly thirds: Map<string, readonly Scene[]>;
}

interface Core {
  readonly key: string;
  readonly at: readonly number[];
}

interface Known {
  readonly effects: Effect[];
  readonly keys: Set<string>;
  /** How many relations were looked at. */
  senders: number;
  others: number;
}

/** The place of a node after one was put in at `index`. */
const shifted = (at: number, index: number): number => (at < index ? at : at + 1);

export const relationKey = ({ role, position, state, message }: Relation): string =>
  `${role} ${position} ${textOf(state)} ${message ? textOf(message) : ''}`;

/**
 * What the steps of a node make of a view of two nodes. The node may know a third one, and a fourth
 * one may have sent it something. What these two know, also of each other, is not looked at.
 */
export class ActorEffects {
  readonly #keys = new Set<string>();
  /** By what a node has without the other one. */
  readonly #plain = new Map<string, Relation[]>();
  readonly #senders = new Map<string, Relation[]>();
  readonly #known = new Map<string, Known>();
  readonly #bases = new Map<string, Scene>();
  readonly #cores = new WeakMap<Scene, Core>();
  /** How many states of a few nodes were put together. */
  scenes = 0;

  constructor(private readonly stepping: Stepping) {}

  /** From now on, a node may know this of any other. */
  learn(relation: Relation): void {
    const key = relationKey(relation);
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    const lists = relation.message ? this.#senders : this.#plain;
    const core = this.#coreOf(this.#base(relation)).key;
    lists.set(core, [...(lists.get(core) ?? []), relation]);
  }

  /** The effects of all steps, in the order in which they were found. */
  of(relation: Relation): readonly Effect[] {
    const base = this.#base(relation);
    const core = this.#coreOf(base).key;
    const senders = relation.message ? [] : (this.#senders.get(core) ?? []);
    const others = this.#plain.get(core) ?? [];
    let known = this.#known.get(relationKey(relation));
    if (!known) {
      known = { effects: [], keys: new Set(), senders: 0, others: 0 };
      this.#known.set(relationKey(relation), known);
      this.#take(known, base);
    }
    for (const other of others.slice(known.others))
      for (const scene of this.#withThird(base, other)) this.#take(known, scene);
    for (const [index, sender] of senders.entries()) {
      const isOld = index < known.senders;
      for (const scene of this.#withThird(base, sender)) {
        if (!isOld) this.#take(known, scene);
        for (const other of others.slice(isOld ? known.others : 0))
          for (const wider of this.#withFourth(base, scene, other)) this.#take(known, wider);
      }
    }
    known.senders = senders.length;
    known.others = others.length;
    return known.effects;
  }

  #base(relation: Relation): Scene {
    return memoized(this.#bases, relationKey(relation), () => {
      const { role, position, state, message } = relation;
      const other = 1 - position;
      const cause = message && ({ kind: 'message', from: '', message } as const);
      const { values } = this.stepping.local.ordered.ranked(role, [state, cause]);
      return {
        ...{ role, free: 2, actor: position, other, state },
        ...{ ranks: values.length, known: values, ...caches() },
        ...(message ? { arriving: { from: other, message } } : {}),
      };
    });
  }

  /** What a node has without the other one, and its numbers in their places. */
  #coreOf(scene: Scene): Core {
    const { role, actor, state } = scene;
    const known = this.#cores.get(scene);
    if (known) return known;
    const { family, detail, local } = this.stepping;
    const at: number[] = [];
    const alone = stateIn(role, state, family.renaming(2, 1 << actor), detail);
    const without = local.ordered.state(role, alone, (value) => {
      at.push(value);
      return 0;
    });
    const core = { key: `${role} ${textOf(without)}`, at };
    this.#cores.set(scene, core);
    return core;
  }

  /** The states in which the node knows a third one, too, which may have sent it a message. */
  #withThird(base: Scene, relation: Relation): readonly Scene[] {
    return [0, 1, 2].flatMap((index) => this.#third(base, relation, index));
  }

  #third(base: Scene, relation: Relation, index: number): readonly Scene[] {
    const key = `${relationKey(relation)} ${index}`;
    const known = base.thirds.get(key) ?? this.#newThird(base, relation, index);
    base.thirds.set(key, known);
    return known;
  }

  #newThird(base: Scene, relation: Relation, index: number): readonly Scene[] {
    const third = this.#base(relation);
    const other = shifted(base.other, index);
    const isInPlace =
      shifted(third.actor, other) === shifted(base.actor, index) &&
      shifted(third.other, other) === index;
    if (!isInPlace) return [];
    const [one, two] = [this.#coreOf(base).at, this.#coreOf(third).at];
    const same = one.map((rank, place) => [rank, two[place] ?? 0] as const);
    return this.#united(base, third, index, other, same);
  }

  /** The states in which it knows a fourth one, besides the sender in `scene`. */
  #withFourth(base: Scene, scene: Scene, relation: Relation): readonly Scene[] {
    return [0, 1, 2, 3].flatMap((index) => {
      const sender = shifted(scene.arriving?.from ?? 0, index);
      const thirds = this.#third(base, relation, index < sender ? index : index - 1);
      return thirds.flatMap((third) => {
        const same = scene.known.map((rank, at) => [rank, third.known[at] ?? 0] as const);
        return this.#united(scene, third, index, sender, same);
      });
    });
  }

  /**
   * The states of a network in which `one` lacks the node at `first`, and `two` that at `second`.
   * @param same the ranks that are those of one number
   */
  #united(
    one: Scene,
    two: Scene,
    first: number,
    second: number,
    same: readonly (readonly [number, number])[],
  ): readonly Scene[] {
    const names = this.stepping.family.names(one.free + 1);
    const missing = { first: names[first] ?? '', second: names[second] ?? '' };
    return merges(one.ranks, two.ranks, same).flatMap((merge) => {
      const left = this.#wide(one, first, merge.one, merge.ranks);
      const right = this.#wide(two, second, merge.other, merge.ranks);
      const arriving = left.arriving ?? right.arriving;
      return joinedStates(left.state, right.state, missing).map((state) => ({
        ...left,
        ...{ state, ...caches() },
        ...(arriving ? { arriving } : {}),
      }));
    });
  }

  /** The same state with names for one node more, at `index`, and with other ranks. */
  #wide(scene: Scene, index: number, ranks: readonly number[], count: number): Scene {
    return memoized(scene.wide, `${index} ${ranks.join()}`, () => {
      const { family, detail, local } = this.stepping;
      const { role, arriving } = scene;
      const renaming = family.widening(scene.free, index);
      const rankOf = (rank: number): number => ranks[rank] ?? 0;
      const wide = arriving && {
        from: shifted(arriving.from, index),
        message: local.ordered.message(messageIn(arriving.message, renaming, detail), rankOf),
      };
      return {
        ...{ role, free: scene.free + 1, ranks: count, ...caches() },
        actor: shifted(scene.actor, index),
        other: shifted(scene.other, index),
        state: local.ordered.state(role, stateIn(role, scene.state, renaming, detail), rankOf),
        known: scene.known.map(rankOf),
        ...(wide ? { arriving: wide } : {}),
      };
    });
  }

  #take(known: Known, scene: Scene): void {
    this.scenes++;
    const { family, local, detail } = this.stepping;
    const { role, free, actor, other } = scene;
    const names = family.names(free);
    const id = names[actor] ?? '';
    const doubled = local.ordered.state(role, scene.state, (rank) => 2 * rank);
    const { arriving } = scene;
    const events: readonly LocalEvent[] = arriving
      ? [
          {
            kind: 'message',
            from: names[arriving.from] ?? '',
            message: local.ordered.message(arriving.message, (rank) => 2 * rank),
          },
        ]
      : [
          ...local
            .possible(role, id, doubled)
            .map((command): LocalEvent => ({ kind: 'command', command })),
          ...doubled.timers.map(({ id: timer }): LocalEvent => ({ kind: 'timeout', timer })),
        ];
    const renaming = family.renaming(free, (1 << actor) | (1 << other));
    for (const event of events)
      for (const taken of local.takeDoubled(role, doubled, event)) {
        if (taken.failure) {
          if (canonical([doubled.context, event]).includes(`"${outside}"`)) continue;
          throw new Unprovable(`a step may fail: ${taken.failure.message}`);
        }
        const sent = taken.sends
          .filter(({ to }) => to === names[other])
          .map(({ message }) => messageIn(message, renaming, detail));
        const state = stateIn(role, taken.state, renaming, detail);
        const effect = this.#compact({ event, state, sent, ranks: scene.ranks, known: scene.known }, role);
        const key = canonical([event.kind, effect.state, effect.sent, effect.known, effect.ranks]);
        if (!known.keys.has(key)) known.effects.push(effect);
        known.keys.add(key);
      }
  }

  /** Without the ranks of numbers that the view does not have afterwards either. */
  #compact(effect: Effect, role: string): Effect {
    const { ordered } = this.stepping.local;
    const changed = (change: (value: number) => number) => ({
      state: ordered.state(role, effect.state, change),
      sent: effect.sent.map((message) => ordered.message(message, change)),
    });
    const made = ordered.valuesIn(changed).map((value) => value >> 1);
    const used = [...new Set([...effect.known, ...made])].sort((one, two) => one - two);
    return {
      event: effect.event,
      ...changed((value) => 2 * used.indexOf(value >> 1) + (value & 1)),
      ranks: used.length,
      known: effect.known.map((rank) => used.indexOf(rank)),
    };
  }
}

const caches = (): Pick<Scene, 'wide' | 'thirds'> => ({ wide: new Map(), thirds: new Map() });
