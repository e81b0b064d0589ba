/**
 * Numbers for plain data: equal data has one number, whatever the order of its keys. A search meets
 * most states again and again, so this must cost less than the text of a state and a look-up by it.
 *
 * Each part has a number: each text, each list, each object. A list or an object is a row of
 * numbers, which one table of whole numbers knows: first what kind it is, then its parts. For an
 * object the kind is a number for its keys, and its fields follow in the order in which these keys
 * came first.
 *
 *     { at: 'a', seen: [1] }    'a' → 4    1 → 6    [list, 6] → 7    keys at, seen → 5    [5, 4, 7] → 8
 *
 * What a successor shares with its state, such as a list that the step did not change, is the same
 * object and not looked at again.
 */

/** The keys of an object up to one of them, in the order in which they come. */
class Keys {
  readonly #next = new Map<string, Keys>();
  /** The key that was asked for last: mostly the only one. */
  #key: string | undefined;
  #last: Keys = this;
  /** The number of these keys; 0 where no object had them. */
  kind = 0;
  /** The keys in their usual order, where this is another one. */
  usual: readonly string[] | undefined;

  with(key: string): Keys {
    if (key === this.#key) return this.#last;
    const next = this.#next.get(key) ?? new Keys();
    this.#next.set(key, next);
    this.#key = key;
    this.#last = next;
    return next;
  }
}

/** Deeper data is not plain: it may contain itself. */
const deepest = 200;
/** So many parts of a state are known by themselves: more would take longer to find. */
const mostParts = 32;
/** The numbers of null, false, true, and what a row of a list begins with; others follow. */
const [nothing, no, yes, list] = [0, 1, 2, 3];

export class DataNumbers {
  /** Whether a value since this was reset has keys in another order than the usual one. */
  isReordered = false;
  /** Whether accessors, hidden fields and those of a list are looked for, which takes longer. */
  isStrict = false;
  readonly #leaves = new Map<string | number, number>();
  readonly #rows = new Rows();
  readonly #keys = new Keys();
  /** By keys, sorted: these in their usual order, and their number. */
  readonly #usual = new Map<string, Pick<Keys, 'kind'> & { readonly keys: readonly string[] }>();
  #size = list + 1;
  #bytes = 0;
  readonly #parts: object[] = [];
  readonly #ofParts: number[] = [];
  #keepsParts = false;

  /** An estimate. */
  get bytes(): number {
    return this.#rows.bytes + this.#bytes;
  }

  /** The number of data that does not change, of which the next values may have parts. */
  ofShared(value: unknown): number {
    this.#parts.length = 0;
    this.#ofParts.length = 0;
    this.#keepsParts = true;
    const number = this.of(value);
    this.#keepsParts = false;
    return number;
  }

  /**
   * The number of a value; −1 where it is not plain data. −0 is 0.
   */
  of(value: unknown, depth = 0): number {
    switch (typeof value) {
      case 'string':
        return this.#leaf(value);
      case 'number':
        return Number.isFinite(value) ? this.#leaf(value) : -1;
      case 'boolean':
        return value ? yes : no;
      case 'object':
        return value === null ? nothing : this.#composite(value, depth);
      default:
        return -1;
    }
  }

  #leaf(value: string | number): number {
    let number = this.#leaves.get(value);
    if (number === undefined) {
      number = this.#size++;
      this.#leaves.set(value, number);
      this.#bytes += 100 + (typeof value === 'string' ? value.length : 0);
    }
    return number;
  }

  #composite(value: object, depth: number): number {
    for (let at = 0; at < this.#parts.length; at++)
      if (this.#parts[at] === value) return this.#ofParts[at] as number; // as many as parts
    if (depth > deepest) return -1;
    const outside = this.isReordered;
    this.isReordered = false;
    const number = Array.isArray(value) ? this.#list(value, depth) : this.#object(value, depth);
    // whatever has a part with another order is to be noticed again
    const isKept = this.#keepsParts && !this.isReordered && this.#parts.length < mostParts;
    this.isReordered ||= outside;
    if (isKept && number >= 0) {
      this.#parts.push(value);
      this.#ofParts.push(number);
    }
    return number;
  }

  #list(value: readonly unknown[], depth: number): number {
    if (Object.getPrototypeOf(value) !== Array.prototype) return -1;
    if (this.isStrict && !hasOnlyItems(value)) return -1;
    const row = this.#rows.begin(list);
    for (let at = 0; at < value.length; at++) {
      const item = this.of(value[at], depth + 1);
      if (item < 0) return this.#rows.drop(row);
      this.#rows.add(item);
    }
    return this.#numberOf(row);
  }

  #object(value: object, depth: number): number {
    if (Object.getPrototypeOf(value) !== Object.prototype) return -1;
    if (this.isStrict && !hasOnlyFields(value)) return -1;
    const own = Object.keys(value);
    let keys = this.#keys;
    for (const key of own) keys = keys.with(key);
    if (keys.kind === 0) this.#meet(keys, own);
    if (keys.usual) this.isReordered = true;
    const row = this.#rows.begin(keys.kind);
    for (const key of keys.usual ?? own) {
      const field = this.of((value as Readonly<Record<string, unknown>>)[key], depth + 1); // its own key
      if (field < 0) return this.#rows.drop(row);
      this.#rows.add(field);
    }
    return this.#numberOf(row);
  }

  #numberOf(row: number): number {
    const number = this.#rows.end(row, this.#size);
    if (number === this.#size) this.#size++;
    return number;
  }

  #meet(keys: Keys, own: readonly string[]): void {
    const sorted = JSON.stringify(own.toSorted());
    const usual = this.#usual.get(sorted);
    keys.kind = usual?.kind ?? this.#size++;
    if (usual) keys.usual = usual.keys;
    else this.#usual.set(sorted, { keys: own, kind: keys.kind });
  }
}

/** Rows of numbers that are each kept once, and the rows that are being put together: a stack. */
class Rows {
  #stack = new Int32Array(256);
  #top = 0;
  /** The kept ones, one after the other: the number of the row, its length, and what is in it. */
  #kept = new Int32Array(4096);
  #end = 1;
  /** By hash: where a row is kept; 0 if free. Open addressing. */
  #places = new Int32Array(1024);
  #size = 0;

  /** How many bytes the rows take. */
  get bytes(): number {
    return 4 * (this.#kept.length + this.#places.length);
  }

  /** Begins a row; what is returned names it. */
  begin(first: number): number {
    this.add(first);
    return this.#top - 1;
  }

  /** Adds to the row that was begun last. */
  add(item: number): void {
    if (this.#top === this.#stack.length) this.#stack = grown(this.#stack);
    this.#stack[this.#top++] = item;
  }

  drop(row: number): -1 {
    this.#top = row;
    return -1;
  }

  /** Ends a row; its number, which is `next` if it was not kept before. */
  end(row: number, next: number): number {
    const [stack, mask] = [this.#stack, this.#places.length - 1];
    const length = this.#top - row;
    this.#top = row;
    let at = hashOf(stack, row, length) & mask;
    for (; ; at = (at + 1) & mask) {
      const place = this.#places[at] as number;
      if (place === 0) break;
      if (this.#isAt(place, row, length)) return this.#kept[place] as number;
    }
    this.#places[at] = this.#keep(row, length, next);
    if (2 * ++this.#size > mask) this.#rehash();
    return next;
  }

  #isAt(place: number, row: number, length: number): boolean {
    const [kept, stack] = [this.#kept, this.#stack];
    if (kept[place + 1] !== length) return false;
    for (let item = 0; item < length; item++)
      if (kept[place + 2 + item] !== stack[row + item]) return false;
    return true;
  }

  #keep(row: number, length: number, number: number): number {
    const place = this.#end;
    this.#end += length + 2;
    while (this.#end > this.#kept.length) this.#kept = grown(this.#kept);
    this.#kept[place] = number;
    this.#kept[place + 1] = length;
    for (let item = 0; item < length; item++)
      this.#kept[place + 2 + item] = this.#stack[row + item] as number;
    return place;
  }

  #rehash(): void {
    this.#places = new Int32Array(2 * this.#places.length);
    const mask = this.#places.length - 1;
    for (let place = 1; place < this.#end; ) {
      const length = this.#kept[place + 1] as number;
      let at = hashOf(this.#kept, place + 2, length) & mask;
      while (this.#places[at] !== 0) at = (at + 1) & mask;
      this.#places[at] = place;
      place += length + 2;
    }
  }
}

function grown(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(2 * numbers.length);
  larger.set(numbers);
  return larger;
}

function hashOf(numbers: Int32Array, from: number, length: number): number {
  let hash = length;
  for (let at = from; at < from + length; at++) {
    hash = Math.imul(hash ^ (numbers[at] as number), 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}

function hasOnlyItems(items: readonly unknown[]): boolean {
  if (Reflect.ownKeys(items).length !== items.length + 1) return false; // and its length
  for (let at = 0; at < items.length; at++) if (!isField(items, at)) return false;
  return true;
}

function hasOnlyFields(value: object): boolean {
  for (const key of Reflect.ownKeys(value)) if (!isField(value, key)) return false;
  return true;
}

function isField(holder: object, key: PropertyKey): boolean {
  const field = Object.getOwnPropertyDescriptor(holder, key);
  return typeof key !== 'symbol' && field?.enumerable === true && 'value' in field;
}

/** States by their numbers, in the order in which they were found. */
export class PlainStates<S> {
  readonly items: S[] = [];
  /** Equal to an earlier one but for the order of keys; each order once. */
  readonly reordered: { readonly id: number; readonly state: S }[] = [];
  readonly #data = new DataNumbers();
  /** By the number of the data: that of the state, and 1. */
  #ids = new Int32Array(1024);
  /** Those found first with keys in an unusual order; and the texts of such states. */
  readonly #odd = new Set<number>();
  readonly #orders = new Set<string>();

  /** An estimate: an object for each state, and the rows of its parts. */
  get bytes(): number {
    return 250 * this.items.length + 4 * this.#ids.length + this.#data.bytes;
  }

  item(id: number): S {
    return this.items[id] as S;
  }

  /** To be called before the successors of a state are looked up; strictly, see `DataNumbers`. */
  begin(state: S, isStrict: boolean): void {
    this.#data.isStrict = false;
    this.#data.ofShared(state);
    this.#data.isStrict = isStrict;
  }

  /**
   * The number of a state.
   *
   * @param found called with one that was not found before, or whose number is not known to be that
   * of its data: the same, plain and frozen, or an error
   */
  id(state: S, found: (state: S) => S): number {
    this.#data.isReordered = false;
    const data = this.#data.of(state);
    const id = (this.#ids[data] ?? 0) - 1; // also −1 for data that is not plain
    const isOdd = this.#data.isReordered;
    if (id < 0) return this.#add(data, found(state), isOdd);
    if (isOdd || (this.#odd.size > 0 && this.#odd.has(id))) this.#meetOrder(id, state, found);
    return id;
  }

  #add(data: number, state: S, isOdd: boolean): number {
    if (data < 0) throw new Error('A state has no number, and was not refused.');
    const id = this.items.length;
    this.items.push(state);
    while (data >= this.#ids.length) this.#ids = grown(this.#ids);
    this.#ids[data] = id + 1;
    if (isOdd) {
      this.#odd.add(id);
      this.#orders.add(JSON.stringify(state));
    }
    return id;
  }

  #meetOrder(id: number, state: S, found: (state: S) => S): void {
    const text = JSON.stringify(state);
    if (this.#orders.has(text)) return;
    this.#orders.add(text);
    this.reordered.push({ id, state: found(state) });
  }
}
