import { ConclaveError } from '../base/error.js';

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
 * From here on random numbers and clocks refuse calls from user code, see {@link enterUserCode},
 * until the returned function is called; other code is not affected.
 *
 * @throws {ConclaveError} `impure` where one of them cannot be replaced.
 */
export function refuseChance(): () => void {
  const restorers: (() => void)[] = [];
  const allowChance = () => {
    watching--;
    for (const restore of restorers.reverse()) restore();
  };
  try {
    if (watching++ === 0) guard(restorers);
  } catch (error) {
    allowChance();
    throw error;
  }
  return allowChance;
}

/** Replaces what user code must not ask; each undoes one change, the last one first. */
function guard(restorers: (() => void)[]): void {
  for (const { name, holder, key, why } of refused())
    if (holder) restorers.push(guarded(holder, key, name, why));
  const date = globalThis.Date;
  restorers.push(replaced(globalThis, 'Date', guardedDate(date)) ?? unguarded('Date'));
}

/** Makes `holder[key]` a function that refuses calls from user code; returns how to undo that. */
function guarded(holder: object, key: string, name: string, why: string): () => void {
  const original: unknown = Reflect.get(holder, key);
  if (typeof original !== 'function') return () => {};
  const value = (...args: unknown[]): unknown => {
    if (caller !== undefined) throw refuse(name, why);
    return Reflect.apply(original, holder, args);
  };
  return replaced(holder, key, value) ?? shadowed(holder, key, value) ?? unguarded(name);
}

/** For a frozen `Math`: the global one inherits all else of it. {@link guardedDate} has its own `now`. */
function shadowed(holder: object, key: string, value: unknown): (() => void) | undefined {
  if (holder === Date) return () => {};
  if (holder !== Math) return undefined;
  return replaced(globalThis, 'Math', Object.create(holder, { [key]: { value } }));
}

/** Defines `holder[key]`, and returns how to undo that; undefined if it cannot be replaced. */
function replaced(holder: object, key: string, value: unknown): (() => void) | undefined {
  const own = Object.getOwnPropertyDescriptor(holder, key);
  const enumerable = own?.enumerable ?? false;
  const changed = { value, configurable: true, writable: true, enumerable };
  if (!Reflect.defineProperty(holder, key, changed)) return undefined;
  return () => {
    if (own) Object.defineProperty(holder, key, own);
    else Reflect.deleteProperty(holder, key);
  };
}

function unguarded(name: string): never {
  throw new ConclaveError(
    'impure',
    `${name} cannot be replaced, so that a machine that asks it would not be seen`,
    'Do not freeze globals.',
  );
}

/**
 * A stand-in for `Date`, frozen or not, that refuses user code what asks the clock. Its own target
 * is not `date`, since a proxy must show what is frozen as it is.
 */
function guardedDate(date: DateConstructor): DateConstructor {
  const asked = <T>(name: string, run: () => T): T => {
    if (caller !== undefined) throw refuse(name, clock);
    return run();
  };
  const now = () => asked('Date.now', () => date.now());
  const target = Object.assign(function unused() {}, { prototype: date.prototype });
  return new Proxy(target as unknown as DateConstructor, {
    construct: (_, args, newTarget) =>
      args.length > 0
        ? Reflect.construct(date, args, newTarget)
        : asked('new Date()', () => Reflect.construct(date, args, newTarget)),
    apply: () => asked('Date()', () => date()),
    get: (_, key) => (key === 'now' ? now : Reflect.get(date, key)),
  });
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
