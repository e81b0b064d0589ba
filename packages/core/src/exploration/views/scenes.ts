import type { Message } from '../../protocol/node.js';
import type { LocalState } from '../../protocol/step.js';
import { joinedStates, messageIn, stateIn } from './part.js';
import { memoized } from './parts.js';
import type { Stepping } from './stepping.js';
import { textOf } from './text.js';
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

/** The state of a node in a network of a few, with ranks, and where those of the relation are. */
export interface Scene {
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

/** The place of a node after one was put in at `index`. */
const shifted = (at: number, index: number): number => (at < index ? at : at + 1);

export const relationKey = ({ role, position, state, message }: Relation): string =>
  `${role} ${position} ${textOf(state)} ${message ? textOf(message) : ''}`;

/** What a node may know of a few others, put together of what it knows of each of them. */
export class Scenes {
  readonly #bases = new Map<string, Scene>();
  readonly #cores = new WeakMap<Scene, Core>();

  constructor(private readonly stepping: Stepping) {}

  /** The view itself. */
  base(relation: Relation): Scene {
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
  coreOf(scene: Scene): Core {
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
  withThird(base: Scene, relation: Relation): readonly Scene[] {
    return [0, 1, 2].flatMap((index) => this.#third(base, relation, index));
  }

  #third(base: Scene, relation: Relation, index: number): readonly Scene[] {
    const key = `${relationKey(relation)} ${index}`;
    const known = base.thirds.get(key) ?? this.#newThird(base, relation, index);
    base.thirds.set(key, known);
    return known;
  }

  #newThird(base: Scene, relation: Relation, index: number): readonly Scene[] {
    const third = this.base(relation);
    const other = shifted(base.other, index);
    const isInPlace =
      shifted(third.actor, other) === shifted(base.actor, index) &&
      shifted(third.other, other) === index;
    if (!isInPlace) return [];
    const [one, two] = [this.coreOf(base).at, this.coreOf(third).at];
    const same = one.map((rank, place) => [rank, two[place] ?? 0] as const);
    return this.#united(base, third, index, other, same);
  }

  /** The states in which it knows a fourth one, besides the sender in `scene`. */
  withFourth(base: Scene, scene: Scene, relation: Relation): readonly Scene[] {
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
}

const caches = (): Pick<Scene, 'wide' | 'thirds'> => ({ wide: new Map(), thirds: new Map() });
