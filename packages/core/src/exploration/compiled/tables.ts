import { DenseTable } from './dense-table.js';
import { PairTable } from './pair-table.js';

/** The layout of a step in {@link Tables.code}: its action, the next configuration, the end of its sends, whether it is rare; then slot, message … */
export const part = { action: 0, place: 1, end: 2, rare: 3, sends: 4 } as const;

/** `rare` of a step: 0, it is not; 1, it fails; else `firstOp` plus the number of its event of the environment. */
export const breaks = 1;
export const firstOp = 2;

/** Events of the environment; further numbers are choices that a step opens. `answer`: the first open choice is answered. */
export const op = { loss: 0, duplication: 1, crash: 2, restart: 3, answer: 4, others: 5 } as const;

/** What an environment allows: bits of the first number of its list. */
export const may = { choose: 1, lose: 2, duplicate: 4, crash: 8, restart: 16, cut: 32, change: 64 } as const;

/** The kinds of tables; see {@link Tables}. */
export type TableKind =
  | 'own'
  | 'nodeLater'
  | 'contentLater'
  | 'isDue'
  | 'crash'
  | 'restart'
  | 'crashed'
  | 'mayCrash'
  | 'answer'
  | 'delivery'
  | 'drop'
  | 'duplicate'
  | 'pushed'
  | 'duplicated'
  | 'dequeues'
  | 'unsent'
  | 'environment'
  | 'after';

type Table = DenseTable | PairTable;

/** An entry, as it is sent to another thread: the number of the table, the keys, the value. */
export type Entry = readonly [table: number, first: number, second: number, value: number];

/**
 * All that is known of a system, as numbers only: steps and lists in one array, and tables of offsets into it. A list is its length, then its
 * items; for a step see {@link part}.
 */
export class Tables {
  code = new Int32Array(1024);
  /** No list or step begins at 0. */
  end = 1;
  /** New entries for other threads; undefined if there are none. */
  log: Entry[] | undefined;
  readonly #all: Table[] = [];
  /** By node: configuration → list of its steps that are possible without a message. */
  readonly own: readonly DenseTable[];
  /** By node: configuration → 0 if no time can pass in it, else 1 + the configuration one tick later. The same for contents. */
  readonly nodeLater: readonly DenseTable[];
  readonly contentLater: DenseTable;
  /** Message in flight → 1 if it may have arrived by now. */
  readonly isDue: DenseTable;
  /** By node: configuration → step of its crash, or of its restart. */
  readonly crash: readonly DenseTable[];
  readonly restart: readonly DenseTable[];
  /** By node: configuration → 1 if it is crashed; 1 if it may crash. */
  readonly crashed: readonly DenseTable[];
  readonly mayCrash: readonly DenseTable[];
  /** By node: configuration, value → step that answers a choice. */
  readonly answer: readonly PairTable[];
  /** By channel: configuration of the receiver, message → step. */
  readonly delivery: readonly PairTable[];
  /** By channel: message → action. */
  readonly drop: readonly DenseTable[];
  readonly duplicate: readonly DenseTable[];
  /** Content, message → content with the message behind it. */
  readonly pushed: PairTable;
  /** Content, message → content with that message twice. */
  readonly duplicated: PairTable;
  /** Content → list of its deliverable messages: message, remaining content, message … */
  readonly dequeues: DenseTable;
  /** By channel: content → list of the messages that a crash may have lost: action, remaining content, action … */
  readonly unsent: readonly DenseTable[];
  /** Environment → list of what it allows, see Expander. */
  readonly environment: DenseTable;
  /** Environment, event → the next environment. */
  readonly after: PairTable;

  constructor(nodes: number, channels: number) {
    const dense = () => this.#enter(new DenseTable());
    const pairs = () => this.#enter(new PairTable());
    const each = <T>(length: number, make: () => T): readonly T[] => Array.from({ length }, make);
    this.own = each(nodes, dense);
    this.nodeLater = each(nodes, dense);
    this.contentLater = dense();
    this.isDue = dense();
    this.crash = each(nodes, dense);
    this.restart = each(nodes, dense);
    this.crashed = each(nodes, dense);
    this.mayCrash = each(nodes, dense);
    this.answer = each(nodes, pairs);
    this.delivery = each(channels, pairs);
    this.drop = each(channels, dense);
    this.duplicate = each(channels, dense);
    this.pushed = pairs();
    this.duplicated = pairs();
    this.dequeues = dense();
    this.unsent = each(channels, dense);
    this.environment = dense();
    this.after = pairs();
  }

  /** The value of an entry, −1 if it is missing. */
  entry(kind: TableKind, of: number, first: number, second: number): number {
    const table = this[kind];
    return ('get' in table ? table : table[of])?.get(first, second) ?? -1;
  }

  /** Adds an entry, and returns its value. */
  learn(table: Table | undefined, first: number, second: number, value: number): number {
    if (!table) throw new Error('unreachable: each node and channel has its tables');
    table.add(first, second, value);
    this.log?.push([this.#all.indexOf(table), first, second, value]);
    return value;
  }

  /** Copies the entries of another thread, and its code from `start` on. */
  takeOver(entries: readonly Entry[], start: number, code: Int32Array): void {
    this.#reserve(start + code.length);
    this.code.set(code, start);
    this.end = start + code.length;
    for (const [table, first, second, value] of entries) this.#all[table]?.add(first, second, value);
  }

  /** Appends numbers to {@link code}; returns their offset. */
  write(numbers: readonly number[]): number {
    const start = this.end;
    this.end += numbers.length;
    this.#reserve(this.end);
    this.code.set(numbers, start);
    return start;
  }

  writeList(numbers: readonly number[]): number {
    return this.write([numbers.length, ...numbers]);
  }

  #reserve(length: number): void {
    let room = this.code.length;
    if (length <= room) return;
    while (room < length) room *= 2;
    const wider = new Int32Array(room);
    wider.set(this.code);
    this.code = wider;
  }

  #enter<T extends Table>(table: T): T {
    this.#all.push(table);
    return table;
  }
}
