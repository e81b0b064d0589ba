import { product } from './data.js';
import type { Family } from './family.js';
import { subsets } from './family.js';
import type { OrderedNumbers } from './ordered-numbers.js';
import type { Parts } from './parts.js';
import { Unprovable } from './unprovable.js';

/** The parts of the fixed nodes, and then those of the free ones in their order. */
export type PartialWorld = readonly number[];

export type WorldSet = Map<string, PartialWorld>;

export const keyOf = (world: PartialWorld): string => world.join();

/** So many worlds of one size are put together. */
const mostWorlds = 400_000;

/** What worlds are, and which ones a set of views allows. */
export class PartialWorlds {
  readonly #fixed: number;

  constructor(
    family: Family,
    private readonly parts: Parts,
    private readonly ordered: OrderedNumbers,
  ) {
    this.#fixed = family.fixed.length;
  }

  freeIn(world: PartialWorld): number {
    return world.length - this.#fixed;
  }

  /** The world without the free nodes that are not in `mask`. */
  seen(world: PartialWorld, mask: number): PartialWorld {
    const free = this.freeIn(world);
    const kept: number[] = [];
    for (const [index, part] of world.entries())
      if (index < this.#fixed || (mask >> (index - this.#fixed)) & 1)
        kept.push(this.parts.seen(part, free, mask));
    return this.ranked(kept);
  }

  /** The same world with ranks for its ordered numbers. */
  ranked(world: PartialWorld): PartialWorld {
    const { ordered, parts } = this;
    if (ordered.areNone) return world;
    const values = ordered.valuesIn((see) =>
      world.map((number) => ordered.part(parts.at(number), see)),
    );
    if (values.every((value, rank) => value === rank)) return world;
    return world.map((number) =>
      parts.numberOf(ordered.part(parts.at(number), (value) => values.indexOf(value))),
    );
  }

  /** Its views of `k` free nodes. */
  views(world: PartialWorld, k: number): readonly PartialWorld[] {
    return subsets(this.freeIn(world), k).map((mask) => this.seen(world, mask));
  }

  #without(world: PartialWorld, index: number): PartialWorld {
    const free = this.freeIn(world);
    return this.seen(world, ((1 << free) - 1) & ~(1 << index));
  }

  /**
   * All worlds of one more free node whose worlds without any one node are in `known`: a world is
   * put together from those that lack its last, its last but one, and its first free node.
   */
  larger(known: WorldSet): WorldSet {
    const found: WorldSet = new Map();
    const [some] = known.values();
    if (!some) return found;
    const free = this.freeIn(some);
    const byStart = new Map<string, PartialWorld[]>();
    const byRest = new Map<string, PartialWorld[]>();
    for (const world of known.values()) {
      add(byStart, keyOf(this.#without(world, free - 1)), world);
      const ends = [this.#without(world, free - 1), this.#without(world, free - 2)];
      add(byRest, ends.map(keyOf).join(' | '), world);
    }
    for (const one of known.values())
      for (const other of byStart.get(keyOf(this.#without(one, free - 1))) ?? []) {
        const rest = [this.#without(one, 0), this.#without(other, 0)].map(keyOf).join(' | ');
        for (const third of byRest.get(rest) ?? [])
          this.#addAll(found, this.#together(one, other, third), known);
      }
    return found;
  }

  #addAll(found: WorldSet, worlds: readonly PartialWorld[], known: WorldSet): void {
    for (const world of worlds) if (this.#isKnown(world, known)) found.set(keyOf(world), world);
    if (found.size > mostWorlds)
      throw new Unprovable(
        `there are more than ${mostWorlds} worlds of a few nodes that the views allow`,
      );
  }

  /** `one` lacks the last free node, `other` the last but one, `third` the first. */
  #together(one: PartialWorld, other: PartialWorld, third: PartialWorld): readonly PartialWorld[] {
    const free = this.freeIn(one) + 1;
    const last = free - 1;
    const choices: (readonly number[])[] = [];
    for (let index = 0; index < this.#fixed + free; index++) {
      const node = index - this.#fixed;
      const ofOne = (): readonly [number, number] => [this.#wide(one, index, last), last];
      const ofOther = (): readonly [number, number] => [
        this.#wide(other, node === last ? index - 1 : index, last - 1),
        last - 1,
      ];
      const ofThird = (): readonly [number, number] => [
        this.#wide(third, node > 0 ? index - 1 : index, 0),
        0,
      ];
      const [a, b] =
        node === last
          ? [ofOther(), ofThird()]
          : node === last - 1
            ? [ofOne(), ofThird()]
            : [ofOne(), ofOther()];
      const options = this.parts.joined(a, b, free);
      if (options.length === 0) return [];
      choices.push(options);
    }
    return product(choices);
  }

  #wide(world: PartialWorld, index: number, skipped: number): number {
    return this.parts.widened(world[index] ?? 0, this.freeIn(world), skipped);
  }

  #isKnown(world: PartialWorld, known: WorldSet): boolean {
    for (let index = 0; index < this.freeIn(world); index++)
      if (!known.has(keyOf(this.#without(world, index)))) return false;
    return true;
  }
}

function add<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}
