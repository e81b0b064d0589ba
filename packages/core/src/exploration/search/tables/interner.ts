import { KeyOrders } from './key-orders.js';

/** Assigns numbers to keys, in the order of their first use. */
export class Interner<T> {
  readonly items: T[] = [];
  readonly #ids = new Map<string, number>();

  /** The number of `key`; `make` creates its item the first time. */
  id(key: string, make: () => T): number {
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = this.items.length;
    this.#ids.set(key, id);
    this.items.push(make());
    return id;
  }

  /** The number of `key`; undefined if it has none. */
  known(key: string): number | undefined {
    return this.#ids.get(key);
  }

  /** Makes `key` a further key of the item of number `id`. */
  alias(key: string, id: number): void {
    this.#ids.set(key, id);
  }

  /** The item of a number. */
  item(id: number): T {
    return this.items[id] as T;
  }
}

/**
 * Assigns numbers to plain values. Values with equal data have one number, whatever the order of
 * their keys.
 */
export class DataInterner<T> {
  readonly #values = new Interner<T>();
  /** By JSON, which depends on the order of keys. */
  readonly #texts = new Map<string, number>();
  readonly #orders = new KeyOrders();
  /** Values that equal an earlier one but for the order of their keys; each order once. */
  readonly reordered: { readonly id: number; readonly value: T }[] = [];

  /** `dataOf`: the data by which values are told apart. Default: all of it. */
  constructor(private readonly dataOf: (value: T) => unknown = (value) => value) {}

  get items(): readonly T[] {
    return this.#values.items;
  }

  /** The number of `value`. */
  id(value: T): number {
    const data = this.dataOf(value);
    const text = JSON.stringify(data);
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const before = this.items.length;
    const id = this.#values.id(this.#orders.textOf(data, text), () => value);
    if (id < before) this.reordered.push({ id, value });
    this.#texts.set(text, id);
    return id;
  }

  /** The value of a number. */
  item(id: number): T {
    return this.#values.item(id);
  }
}
