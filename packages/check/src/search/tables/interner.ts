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

type Fields = Readonly<Record<string, unknown>>;

/** The keys of an object up to one of them, in the order in which they come. */
class Keys {
  readonly #next = new Map<string, Keys>();
  /** If an object has these keys: the usual order of the same keys. */
  usual: readonly string[] | undefined;
  isUsual = false;

  with(key: string): Keys {
    const known = this.#next.get(key);
    if (known) return known;
    const made = new Keys();
    this.#next.set(key, made);
    return made;
  }
}

/**
 * The orders in which keys of objects come. The usual order of some keys is the one that came
 * first. Most data has its keys in their usual order, and to see that is faster than to sort them.
 */
class KeyOrders {
  readonly #none = new Keys();
  /** By keys, sorted: their usual order. */
  readonly #usual = new Map<string, readonly string[]>();

  /**
   * A text that two plain values share exactly if they are the same data, whatever the order of
   * their keys: the JSON of the value with its keys in their usual order. `json`: that of the
   * value.
   */
  textOf(value: unknown, json: string): string {
    return this.#isUsual(value) ? json : JSON.stringify(this.#inUsualOrder(value));
  }

  #isUsual(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return true;
    if (Array.isArray(value)) {
      for (const item of value) if (!this.#isUsual(item)) return false;
      return true;
    }
    const fields = value as Fields; // plain data that is no array
    let keys = this.#none;
    for (const key of Object.keys(fields)) {
      const item = fields[key];
      if (item === undefined) continue; // JSON leaves it out
      keys = keys.with(key);
      if (typeof item === 'object' && !this.#isUsual(item)) return false;
    }
    if (keys.usual === undefined) this.#meet(keys, fields);
    return keys.isUsual;
  }

  #meet(keys: Keys, fields: Fields): readonly string[] {
    const order = Object.keys(fields).filter((key) => fields[key] !== undefined);
    const set = JSON.stringify(order.toSorted());
    const usual = this.#usual.get(set) ?? order;
    this.#usual.set(set, usual);
    keys.usual = usual;
    keys.isUsual = usual === order;
    return usual;
  }

  #inUsualOrder(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => this.#inUsualOrder(item));
    const fields = value as Fields; // plain data that is no array
    let keys = this.#none;
    for (const key of Object.keys(fields)) if (fields[key] !== undefined) keys = keys.with(key);
    const usual = keys.usual ?? this.#meet(keys, fields);
    return Object.fromEntries(usual.map((key) => [key, this.#inUsualOrder(fields[key])]));
  }
}

/**
 * A map from pairs of non-negative numbers to numbers. Open addressing: its size depends on the
 * number of entries, not on the largest key.
 */
export class PairTable {
  /** By cell: first + 1 (0 if free), second, value. */
  #cells = new Int32Array(3 * 64);
  #mask = 63;
  #size = 0;

  /** The value of a pair, −1 if it has none. */
  get(first: number, second: number): number {
    const cells = this.#cells;
    for (let place = mix(first, second) & this.#mask; ; place = (place + 1) & this.#mask) {
      const found = cells[3 * place] as number;
      if (found === 0) return -1;
      if (found === first + 1 && cells[3 * place + 1] === second)
        return cells[3 * place + 2] as number;
    }
  }

  /** Adds a pair without a value. */
  add(first: number, second: number, value: number): void {
    if (2 * ++this.#size > this.#mask) this.#grow();
    this.#put(first, second, value);
  }

  #put(first: number, second: number, value: number): void {
    const cells = this.#cells;
    let place = mix(first, second) & this.#mask;
    while (cells[3 * place] !== 0) place = (place + 1) & this.#mask;
    cells[3 * place] = first + 1;
    cells[3 * place + 1] = second;
    cells[3 * place + 2] = value;
  }

  *entries(): Generator<readonly [first: number, second: number, value: number]> {
    for (let at = 0; at < this.#cells.length; at += 3) {
      const [first = 0, second = 0, value = 0] = this.#cells.subarray(at, at + 3);
      if (first > 0) yield [first - 1, second, value];
    }
  }

  #grow(): void {
    const before = this.#cells;
    this.#mask = 2 * this.#mask + 1;
    this.#cells = new Int32Array(3 * (this.#mask + 1));
    for (let at = 0; at < before.length; at += 3) {
      const first = before[at] as number;
      if (first > 0) this.#put(first - 1, before[at + 1] as number, before[at + 2] as number);
    }
  }
}

function mix(first: number, second: number): number {
  const hash = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}
