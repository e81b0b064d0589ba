/**
 * Whether a recorded history of concurrent operations is linearizable: whether each operation can
 * have taken effect at one moment between its start and its end, so that all of them together are a
 * run of a sequential object (Herlihy and Wing, 1990).
 *
 * The search is that of Wing and Gong (1993) with the memory of Lowe (2017). The starts and ends are
 * a list in the order of time. The next operation of an order is one whose start comes before the
 * first end that is left: an operation which has ended must take effect before what begins later.
 * Its start and end are taken out, and the search goes on; where nothing fits, the last operation is
 * put back. The same operations taken out with the same state of the object lead to the same rest,
 * so each such pair is tried once.
 *
 * An operation whose end is not known, as that of a process that was killed, may take effect at any
 * time after its start, or never. So the order needs only those that have ended.
 *
 * Linearizability is local: where there are several objects, give the history of each one by itself,
 * which is much faster.
 */
import { frozenData } from '@conclave/core/internal';
import type { Json, Verdict } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';
import { excerpt, failureOf } from '../plain/plain-system.js';

/** What a process has asked of an object, and what it was told. */
export interface Operation<I = Json, O = Json> {
  readonly process: string;
  readonly input: I;
  /** Undefined where it is not known. */
  readonly output?: O | undefined;
  /** Before the object can have seen it, on the clock of all operations, in any unit. */
  readonly start: number;
  /**
   * After the object has answered. Undefined where that is not known: the operation may take effect
   * at any time after its start, or never. What starts at this very moment counts as concurrent.
   */
  readonly end?: number | undefined;
}

/** A sequential object, as a function: `sequential` has some. */
export interface SequentialObject<S extends Json = Json, I = Json, O = Json> {
  readonly initial: S;
  /**
   * The state after an operation, or undefined where the object would not have answered so. Pure. An
   * operation without an output fits whatever the object answers.
   */
  readonly next: (state: S, operation: Operation<I, O>) => S | undefined;
}

export interface Linearization<I = Json, O = Json> {
  /** `incomplete`: the limit was reached. */
  readonly verdict: Extract<Verdict, 'holds' | 'violated' | 'incomplete'>;
  /** `holds`: an order of the operations. Otherwise a longest one that was found. */
  readonly order: readonly Operation<I, O>[];
  /** `violated`: of the operations that could be next in time, none fits. */
  readonly stuck: readonly Operation<I, O>[];
  /** How many pairs of operations taken out and a state were tried. */
  readonly configurations: number;
  /** All that, for people. */
  readonly text: string;
}

/**
 * Whether `history` is linearizable.
 *
 * @throws {ConclaveError} `bad-input` for times that are no numbers, or an end before the start;
 * `impure` where `next` changes its state; `bad-protocol` where it throws.
 * @example
 * const history = [
 *   { process: 'a', input: { type: 'write', value: 1 }, start: 0, end: 5 },
 *   { process: 'b', input: { type: 'read' }, output: 1, start: 1, end: 2 },
 *   { process: 'b', input: { type: 'read' }, output: 0, start: 3, end: 4 },
 * ];
 * linearizable(history, sequential.register(0)).verdict; // 'violated': 1, and later 0 again
 */
export function linearizable<S extends Json, I, O>(
  history: readonly Operation<NoInfer<I>, NoInfer<O>>[],
  object: SequentialObject<S, I, O>,
  {
    limit = 5_000_000,
  }: {
    /** How many configurations are tried at most; some 100 bytes each. Default 5,000,000. */
    readonly limit?: number;
  } = {},
): Linearization<I, O> {
  const operations = checked(history);
  const events = new Events(operations);
  const seen = new Set<string>();
  const order: { readonly operation: number; readonly before: S }[] = [];
  let best: { order: readonly number[]; state: S; stuck: readonly number[] } | undefined;
  let state = stateOf(object.initial, 'its initial state');
  const result = (verdict: Linearization['verdict']): Linearization<I, O> => {
    const found = (indices: readonly number[]) =>
      indices.flatMap((index) => operations[index] ?? []);
    const isBest = verdict !== 'holds' && best;
    const all = found(isBest ? isBest.order : order.map(({ operation }) => operation));
    const stuck = verdict === 'violated' && best ? found(best.stuck) : [];
    const text = textOf(verdict, operations, all, stuck, best?.state ?? state);
    return { verdict, order: all, stuck, configurations: seen.size, text };
  };
  let tried: number | undefined;
  while (events.ended > 0) {
    const operation = events.candidateAfter(tried);
    if (operation === undefined) {
      if (!best || order.length > best.order.length)
        best = { order: order.map((each) => each.operation), state, stuck: events.candidates() };
      const last = order.pop();
      if (!last) return result('violated');
      state = last.before;
      events.putBack(last.operation);
      tried = last.operation;
      continue;
    }
    const after = nextOf(object, state, operations[operation]);
    events.take(operation);
    const key = after === undefined ? '' : `${events.taken} ${JSON.stringify(after)}`;
    if (after === undefined || seen.has(key)) {
      events.putBack(operation);
      tried = operation;
      continue;
    }
    if (seen.size >= limit) return result('incomplete');
    seen.add(key);
    order.push({ operation, before: state });
    state = after;
    tried = undefined;
  }
  return result('holds');
}

/**
 * The operations that are left. The starts and ends of those that have ended are a list in the order
 * of time, linked in both directions, so that what was taken out last is put back in one step: start
 * `2 · i` and end `2 · i + 1` of operation `i`. The others stand apart: they are tried last, since most
 * of them need not be in the order.
 */
class Events {
  /** How many operations that have ended are left. */
  ended: number;
  readonly #next: Int32Array;
  readonly #previous: Int32Array;
  readonly #head: number;
  /** Those whose end is not known, in the order of their starts. */
  readonly #open: readonly number[];
  readonly #isTaken: Uint8Array;
  /** All operations before this one that have ended are taken out. */
  #left = 0;
  #last = -1;

  constructor(private readonly operations: readonly Operation<unknown, unknown>[]) {
    const { length } = operations;
    const all = operations.map((operation, index) => ({ ...operation, index }));
    this.#open = all.filter(({ end }) => end === undefined).map(({ index }) => index);
    this.ended = length - this.#open.length;
    this.#isTaken = new Uint8Array(length);
    const sorted = all
      .flatMap(({ start, end, index }) =>
        end === undefined
          ? []
          : [
              { time: start, event: 2 * index },
              { time: end, event: 2 * index + 1 },
            ],
      )
      .sort((a, b) => a.time - b.time || (a.event % 2) - (b.event % 2) || a.event - b.event);
    this.#skip();
    this.#head = 2 * length;
    this.#next = new Int32Array(2 * length + 1).fill(-1);
    this.#previous = new Int32Array(2 * length + 1).fill(-1);
    let before = this.#head;
    for (const { event } of sorted) {
      this.#next[before] = event;
      this.#previous[event] = before;
      before = event;
    }
  }

  /**
   * What may be the next in an order after `tried`, or first: an operation that has begun before the
   * first end that is left.
   */
  candidateAfter(tried?: number): number | undefined {
    let from = 0;
    if (tried === undefined || this.#hasEnd(tried)) {
      const event = this.#after(tried === undefined ? this.#head : 2 * tried);
      if (event % 2 === 0) return event / 2;
    } else from = this.#open.indexOf(tried) + 1;
    const firstEnd = this.#firstEnd();
    for (; from < this.#open.length; from++) {
      const open = this.#open[from] ?? -1;
      if ((this.operations[open]?.start ?? 0) > firstEnd) break;
      if (!this.#isTaken[open]) return open;
    }
    return undefined;
  }

  candidates(): readonly number[] {
    const found: number[] = [];
    for (let at = this.candidateAfter(); at !== undefined; at = this.candidateAfter(at))
      found.push(at);
    return found;
  }

  take(operation: number): void {
    if (this.#hasEnd(operation)) {
      this.#unlink(2 * operation);
      this.#unlink(2 * operation + 1);
      this.ended--;
    }
    this.#isTaken[operation] = 1;
    this.#last = Math.max(this.#last, operation);
    this.#skip();
  }

  /** In the opposite order of {@link take}. */
  putBack(operation: number): void {
    if (this.#hasEnd(operation)) {
      this.#link(2 * operation + 1);
      this.#link(2 * operation);
      this.ended++;
    }
    this.#isTaken[operation] = 0;
    if (this.#hasEnd(operation)) this.#left = Math.min(this.#left, operation);
    while (this.#last >= 0 && !this.#isTaken[this.#last]) this.#last--;
  }

  /** Which operations are taken out, as a text: those that have ended up to one, and others. */
  get taken(): string {
    let text = String(this.#left);
    const add = (operation: number) => {
      if (this.#isTaken[operation]) text += `,${operation}`;
    };
    for (const open of this.#open) if (open < this.#left) add(open);
    for (let operation = this.#left + 1; operation <= this.#last; operation++) add(operation);
    return text;
  }

  #skip(): void {
    const { length } = this.operations;
    const isDone = (at: number) => at < length && (this.#isTaken[at] || !this.#hasEnd(at));
    while (isDone(this.#left)) this.#left++;
  }

  #hasEnd = (operation: number): boolean => this.operations[operation]?.end !== undefined;
  #after = (event: number): number => this.#next[event] ?? -1;

  #firstEnd(): number {
    let event = this.#after(this.#head);
    while (event % 2 === 0) event = this.#after(event);
    return this.operations[event >> 1]?.end ?? Number.POSITIVE_INFINITY;
  }

  #unlink(event: number): void {
    const [before, after] = [this.#previous[event] ?? -1, this.#after(event)];
    this.#next[before] = after;
    if (after >= 0) this.#previous[after] = before;
  }

  #link(event: number): void {
    const [before, after] = [this.#previous[event] ?? -1, this.#after(event)];
    this.#next[before] = event;
    if (after >= 0) this.#previous[after] = event;
  }
}

/** In the order of their starts. */
function checked<I, O>(history: readonly Operation<I, O>[]): readonly Operation<I, O>[] {
  if (!Array.isArray(history))
    throw badInput(`The history is ${excerpt(history)}`, 'Give a list of operations.');
  history.forEach((operation, index) => {
    const { start, end = Number.POSITIVE_INFINITY }: Partial<Operation> = Object(operation);
    if (typeof start !== 'number' || typeof end !== 'number' || !(start <= end))
      throw badInput(
        `Operation ${index} of the history has the start ${excerpt(start)} and the end ${excerpt(end)}`,
        'Give numbers, the end not before the start; no end where it is not known.',
      );
  });
  return [...history].sort((a, b) => a.start - b.start);
}

const stateOf = <S extends Json>(state: S, what: string): S =>
  frozenData(state, what, (path) =>
    badInput(`The sequential object: ${path} is no plain data`, 'Its states are plain data.'),
  );

function nextOf<S extends Json, I, O>(
  object: SequentialObject<S, I, O>,
  state: S,
  operation: Operation<I, O> | undefined,
): S | undefined {
  if (!operation) throw new Error('unreachable: each start has its operation');
  let after: S | undefined;
  try {
    after = object.next(state, operation);
  } catch (error) {
    throw failureOf(`next of the sequential object, with ${lineOf(operation)},`, error, state);
  }
  return after === undefined ? undefined : stateOf(after, 'the state');
}

/** How many operations of a longest order the text has. */
const shown = 10;

const textOfValue = (value: unknown): string =>
  value === undefined ? '?' : typeof value === 'string' ? `'${value}'` : excerpt(value);

const lineOf = ({ process, input, output, start, end }: Operation<unknown, unknown>): string =>
  `${process}: ${textOfValue(input)} → ${textOfValue(output)}, from ${start} to ${end ?? 'unknown'}`;

function textOf(
  verdict: Linearization['verdict'],
  all: readonly Operation<unknown, unknown>[],
  order: readonly Operation<unknown, unknown>[],
  stuck: readonly Operation<unknown, unknown>[],
  state: Json,
): string {
  const count = `${all.length} operations`;
  if (verdict === 'incomplete')
    return `incomplete: the limit was reached, with ${order.length} of ${count} in order`;
  if (verdict === 'holds')
    return `holds: ${order.length} of ${count} in an order that fits their times and answers`;
  const lines = (operations: readonly Operation<unknown, unknown>[]) =>
    operations.map((operation) => `  ${lineOf(operation)}`);
  const earlier = order.length - shown;
  return [
    `violated: no order of the ${count} fits their times and answers. A longest one:`,
    ...(earlier > 0 ? [`  … ${earlier} before`] : []),
    ...lines(order.slice(-shown)),
    `leads to ${excerpt(state)}, where none of these fits:`,
    ...lines(stuck),
  ].join('\n');
}
