import { ConclaveError } from '../base/error.js';
import { atOnce, inOneSlice, type Slices } from '../base/slices.js';

/** Whose code runs: `Node a`, a text that is made only when it is needed, or a property. */
type Caller = string | (() => string) | { readonly name: string };

/** Whose code runs now; undefined outside of user code. */
let caller: Caller | undefined;
/** The first forbidden call; kept, since user code may swallow the error. */
let refusal: ConclaveError | undefined;

interface Refused {
  readonly name: string;
  readonly holder: object | undefined;
  readonly key: string;
  readonly why: string;
}

const chance = 'answers differently each time';
const clock = 'depends on when it is asked';
const refused = (): readonly Refused[] => [
  { name: 'Math.random', holder: Math, key: 'random', why: chance },
  { name: 'Date.now', holder: Date, key: 'now', why: clock },
  { name: 'performance.now', holder: globalThis.performance, key: 'now', why: clock },
  {
    name: 'crypto.getRandomValues',
    holder: globalThis.crypto,
    key: 'getRandomValues',
    why: chance,
  },
  { name: 'crypto.randomUUID', holder: globalThis.crypto, key: 'randomUUID', why: chance },
];

const refuse = (name: string, why: string): ConclaveError => {
  refusal ??= new ConclaveError(
    'impure',
    `${whoText(caller)} asks ${name}, which ${why}`,
    'A node waits by after and draws by choose; a step depends on its state and its event only.',
  );
  return refusal;
};

function whoText(who: Caller | undefined): string {
  if (typeof who === 'function') return who();
  return typeof who === 'object' ? `Property '${who.name}'` : String(who);
}

let watching = 0;

/**
 * Runs `run` while random numbers and clocks refuse calls from user code, see {@link enterUserCode}; other
 * code is not affected.
 */
export const withoutChance = <T>(run: () => T): T =>
  atOnce(slicedWithoutChance(() => inOneSlice(run)));

/** The same for work in slices; between them, too, there is no chance for user code. */
export function* slicedWithoutChance<T>(run: () => Slices<T>): Slices<T> {
  const restore = watching++ > 0 ? () => {} : refuseChance();
  try {
    return yield* run();
  } finally {
    watching--;
    restore();
  }
}

/** Returns how to undo it. */
function refuseChance(): () => void {
  const restorers = refused().flatMap(({ name, holder, key, why }) =>
    holder ? [replaced(holder, key, name, why)] : [],
  );
  const date = globalThis.Date;
  globalThis.Date = new Proxy(date, {
    construct: (target, args, newTarget) => {
      if (caller !== undefined && args.length === 0) throw refuse('new Date()', clock);
      return Reflect.construct(target, args, newTarget);
    },
    apply: (target, self, args) => {
      if (caller !== undefined) throw refuse('Date()', clock);
      return Reflect.apply(target, self, args);
    },
  });
  return () => {
    globalThis.Date = date;
    for (const restore of restorers) restore();
  };
}

/**
 * Replaces `holder[key]` by a function that refuses calls from user code; returns how to undo that.
 */
function replaced(holder: object, key: string, name: string, why: string): () => void {
  const own = Object.getOwnPropertyDescriptor(holder, key);
  const original: unknown = Reflect.get(holder, key);
  if (typeof original !== 'function') return () => {};
  const value = (...args: unknown[]): unknown => {
    if (caller !== undefined) throw refuse(name, why);
    return Reflect.apply(original, holder, args);
  };
  const isReplaced = Reflect.defineProperty(holder, key, {
    value,
    configurable: true,
    writable: true,
    enumerable: own?.enumerable ?? false,
  });
  if (!isReplaced) return () => {};
  return () => {
    if (own) Object.defineProperty(holder, key, own);
    else Reflect.deleteProperty(holder, key);
  };
}

/**
 * Marks the code that runs next as user code, until {@link leaveUserCode} is called with the result.
 *
 * @example const before = asking('Node a'); try { … } finally { answered(before); }
 */
export function enterUserCode(who: Caller): Caller | undefined {
  const before = caller;
  caller = who;
  return before;
}

/**
 * @throws {ConclaveError} `impure` where user code has read a clock or drawn a random number since
 * {@link enterUserCode}, even if it has swallowed the error.
 */
export function leaveUserCode(before: Caller | undefined): void {
  caller = before;
  if (refusal === undefined) return;
  const error = refusal;
  refusal = undefined;
  throw error;
}
