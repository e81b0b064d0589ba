/**
 * The layout of a step in {@link Code}: its action, the next configuration, the end of its sends,
 * whether it is rare; then slot, message …
 */
export const part = { action: 0, place: 1, end: 2, rare: 3, sends: 4 } as const;

/**
 * `rare` of a step: 0, it is not; 1, it fails; else `firstOp` plus the number of its event of the
 * environment.
 */
export const breaks = 1;
export const firstOp = 2;

/**
 * Events of the environment; further numbers are choices that open or close. `answer`: the first
 * open choice is answered; `begin`: the first action.
 */
export const op = {
  loss: 0,
  duplication: 1,
  crash: 2,
  restart: 3,
  answer: 4,
  begin: 5,
  others: 6,
} as const;

/**
 * What an environment allows: bits of the first number of its list. `again`: the node that chooses
 * has another choice to make.
 */
export const may = {
  choose: 1,
  lose: 2,
  duplicate: 4,
  crash: 8,
  restart: 16,
  cut: 32,
  change: 64,
  begin: 128,
  again: 256,
} as const;

/** The tables that the kernel fills, by asking for missing entries. */
export type TableKind =
  /** By node: configuration → list of its steps that are possible without a message. */
  | 'own'
  /**
   * By node: configuration → 0 if no time can pass in it, else 1 + the configuration one tick
   * later. The same for contents.
   */
  | 'nodeLater'
  | 'contentLater'
  /** Message in flight → 1 if it may have arrived by now. */
  | 'isDue'
  /** By node: configuration → step of its crash, or of its restart. */
  | 'crash'
  | 'restart'
  /** By node: a step, 0 → list of the steps by which the node crashes in the middle of it. */
  | 'inside'
  /**
   * Environment → list of the crashes in the middle of a start: action, how many numbers change,
   * slot, number, slot …
   */
  | 'insideStarts'
  /** By node: configuration → 1 if it is crashed; 1 if it may crash. */
  | 'crashed'
  | 'mayCrash'
  /** By node: configuration, value → step that answers a choice. */
  | 'answer'
  /** By channel: configuration of the receiver, message → step. */
  | 'delivery'
  /** By channel: message → action. */
  | 'drop'
  | 'duplicate'
  /** Content, message → content with the message behind it. */
  | 'pushed'
  /** Content, message → content with that message twice. */
  | 'duplicated'
  /** Content → list of its deliverable messages: message, remaining content, message … */
  | 'dequeues'
  /**
   * By channel: content → list of the messages that the crash of its sender may lose next: action,
   * remaining content, action …
   */
  | 'unsent'
  /** Environment → list of what it allows: see `#environment` of the compiled worlds. */
  | 'environment'
  /** Environment, event → the next environment. */
  | 'after';

/** What the kernel has to know of a system before the first step. */
export interface Layout {
  readonly nodes: number;
  /** By channel, the number of the node at its end. */
  readonly receivers: readonly number[];
  /** By channel, the number of the node that sends on it. */
  readonly senders: readonly number[];
  /** Whether crashes fall into steps as well. */
  readonly crashesInside: boolean;
  /** Whether a crash may also lose what the node sent before. */
  readonly unsent: boolean;
  /** In exact time: the number of the action by which a tick passes. */
  readonly tick?: number;
}

/**
 * Steps and lists as numbers, one after the other. A list is its length, then its items; for a step
 * see {@link part}.
 */
export class Code {
  numbers = new Int32Array(1024);
  /** No list or step begins at 0. */
  end = 1;

  /** Appends numbers; returns where they begin. */
  write(numbers: readonly number[]): number {
    const start = this.end;
    this.end += numbers.length;
    this.#reserve(this.end);
    this.numbers.set(numbers, start);
    return start;
  }

  writeList(numbers: readonly number[]): number {
    return this.write([numbers.length, ...numbers]);
  }

  #reserve(length: number): void {
    let room = this.numbers.length;
    if (length <= room) return;
    while (room < length) room *= 2;
    const wider = new Int32Array(room);
    wider.set(this.numbers);
    this.numbers = wider;
  }
}
