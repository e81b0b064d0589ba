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
export class KeyOrders {
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
