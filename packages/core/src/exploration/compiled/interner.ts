import { canonical } from '../worlds/canonical.js';

/** Gives each different key a small number, in the order in which the keys come. */
export class Interner<T> {
  readonly items: T[] = [];
  readonly #ids = new Map<string, number>();

  /** The number of `key`; `make` is asked for its item the first time. */
  id(key: string, make: () => T): number {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.items.length;
    this.#ids.set(key, id);
    this.items.push(make());
    return id;
  }

  /** The number that `key` was given; undefined for none. */
  known(key: string): number | undefined {
    return this.#ids.get(key);
  }

  /** Lets `key`, too, stand for the item of number `id`. */
  alias(key: string, id: number): void {
    this.#ids.set(key, id);
  }

  /** The item of a number that was given out. */
  item(id: number): T {
    return this.items[id] as T;
  }
}

/** Gives each different plain value a small number. Equal data is the same value, whatever the order of its keys. */
export class DataInterner<T> {
  readonly #values = new Interner<T>();
  /** By a text that may depend on the order of keys: quick to write, and the canonical one is not needed again. */
  readonly #texts = new Map<string, number>();
  /** Values met after an equal one whose keys come in another order, each order once. */
  readonly reordered: { readonly id: number; readonly value: T }[] = [];

  get items(): readonly T[] {
    return this.#values.items;
  }

  /** The number of `value`. */
  id(value: T): number {
    const text = JSON.stringify(value);
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const before = this.items.length;
    const id = this.#values.id(canonical(value), () => value);
    if (id < before) this.reordered.push({ id, value });
    this.#texts.set(text, id);
    return id;
  }

  /** The value of a number that was given out. */
  item(id: number): T {
    return this.#values.item(id);
  }
}
