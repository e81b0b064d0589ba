/** How many worlds a page holds. */
const pageBits = 14;
const pageSize = 1 << pageBits;

/** The worlds found so far, each a vector of integers with its predecessor; they are told apart exactly, never by a hash alone. */
export class WorldStore {
  #size = 0;
  readonly #pages: Int32Array[] = [];
  /** By world: its predecessor and the action that led to it. */
  readonly #origins: Int32Array[] = [];
  /** Open addressing: hash and number + 1 of a world, 0 for a free place. */
  #table = new Int32Array(2 * 4096);
  #mask = 4095;

  constructor(readonly width: number) {}

  get size(): number {
    return this.#size;
  }

  /** Bytes taken by worlds, origins and table. */
  get bytes(): number {
    return (this.#pages.length * (this.width + 2) * pageSize + this.#table.length) * 4;
  }

  /** The number of `world`, which is new if it equals the size before. */
  add(world: Int32Array, parent: number, action: number): number {
    const hash = hashOf(world, this.width);
    let place = hash & this.#mask;
    for (;;) {
      const id = (this.#table[2 * place + 1] as number) - 1;
      if (id < 0) break;
      if (this.#table[2 * place] === hash && this.#equals(id, world)) return id;
      place = (place + 1) & this.#mask;
    }
    const id = this.#size++;
    if (id >> pageBits === this.#pages.length) {
      this.#pages.push(new Int32Array(this.width * pageSize));
      this.#origins.push(new Int32Array(2 * pageSize));
    }
    const at = id & (pageSize - 1);
    (this.#pages[id >> pageBits] as Int32Array).set(world, at * this.width);
    const origins = this.#origins[id >> pageBits] as Int32Array;
    origins[2 * at] = parent;
    origins[2 * at + 1] = action;
    this.#table[2 * place] = hash;
    this.#table[2 * place + 1] = id + 1;
    if (2 * this.#size > this.#mask) this.#grow();
    return id;
  }

  /** Copies world `id` into `into`. */
  read(id: number, into: Int32Array): void {
    const page = this.#pages[id >> pageBits] as Int32Array;
    const from = (id & (pageSize - 1)) * this.width;
    for (let index = 0; index < this.width; index++) into[index] = page[from + index] as number;
  }

  parent(id: number): number {
    return (this.#origins[id >> pageBits] as Int32Array)[2 * (id & (pageSize - 1))] as number;
  }

  action(id: number): number {
    return (this.#origins[id >> pageBits] as Int32Array)[2 * (id & (pageSize - 1)) + 1] as number;
  }

  /** The actions that lead from the first world to `id`, and the worlds between, first to last. */
  path(id: number): { readonly worlds: readonly number[]; readonly actions: readonly number[] } {
    const worlds = [id];
    const actions: number[] = [];
    for (let at = id; this.parent(at) >= 0; at = this.parent(at)) {
      actions.push(this.action(at));
      worlds.push(this.parent(at));
    }
    return { worlds: worlds.reverse(), actions: actions.reverse() };
  }

  #equals(id: number, world: Int32Array): boolean {
    const page = this.#pages[id >> pageBits] as Int32Array;
    const from = (id & (pageSize - 1)) * this.width;
    for (let index = 0; index < this.width; index++) if (page[from + index] !== world[index]) return false;
    return true;
  }

  #grow(): void {
    const old = this.#table;
    this.#mask = 2 * this.#mask + 1;
    this.#table = new Int32Array(2 * (this.#mask + 1));
    for (let index = 0; index < old.length; index += 2) {
      if (old[index + 1] === 0) continue;
      let place = (old[index] as number) & this.#mask;
      while (this.#table[2 * place + 1] !== 0) place = (place + 1) & this.#mask;
      this.#table[2 * place] = old[index] as number;
      this.#table[2 * place + 1] = old[index + 1] as number;
    }
  }
}

/** Murmur-like mixing, 32 bits. */
function hashOf(world: Int32Array, width: number): number {
  let hash = width;
  for (let index = 0; index < width; index++) {
    let word = Math.imul(world[index] as number, 0xcc9e2d51);
    word = (word << 15) | (word >>> 17);
    hash ^= Math.imul(word, 0x1b873593);
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
