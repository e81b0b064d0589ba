import { ConclaveError } from './error.js';

/** Who is asked: `Node a`, or a property. */
type Asked = string | { readonly name: string };

/** Who is being asked at present; undefined outside of user code. */
let asked: Asked | undefined;
/** What was asked for and must not be; kept, since the asked may swallow the error. */
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
  { name: 'crypto.getRandomValues', holder: globalThis.crypto, key: 'getRandomValues', why: chance },
  { name: 'crypto.randomUUID', holder: globalThis.crypto, key: 'randomUUID', why: chance },
];

const refuse = (name: string, why: string): ConclaveError => {
  refusal ??= new ConclaveError(
    'impure',
    `${whoText(asked)} asks ${name}, which ${why}`,
    'A node waits by after and draws by choose; what a step depends on stands in its state and its event.',
  );
  return refusal;
};

const whoText = (who: Asked | undefined): string => (typeof who === 'object' ? `Property '${who.name}'` : String(who));

let watching = 0;

/** Runs `run` while chance and clocks refuse to answer those who are {@link asking asked}; everybody else gets answers as ever. */
export function withoutChance<T>(run: () => T): T {
  if (watching++ > 0) return ended(run, () => {});
  const restorers = refused().flatMap(({ name, holder, key, why }) => (holder ? [replaced(holder, key, name, why)] : []));
  const date = globalThis.Date;
  globalThis.Date = new Proxy(date, {
    construct: (target, args, newTarget) => {
      if (asked !== undefined && args.length === 0) throw refuse('new Date()', clock);
      return Reflect.construct(target, args, newTarget);
    },
    apply: (target, self, args) => {
      if (asked !== undefined) throw refuse('Date()', clock);
      return Reflect.apply(target, self, args);
    },
  });
  return ended(run, () => {
    globalThis.Date = date;
    for (const restore of restorers) restore();
  });
}

function ended<T>(run: () => T, restore: () => void): T {
  try {
    return run();
  } finally {
    watching--;
    restore();
  }
}

/** Puts a function that refuses the asked in place of `holder[key]`; gives back how to undo that. */
function replaced(holder: object, key: string, name: string, why: string): () => void {
  const own = Object.getOwnPropertyDescriptor(holder, key);
  const original: unknown = Reflect.get(holder, key);
  if (typeof original !== 'function') return () => {};
  const value = (...args: unknown[]): unknown => {
    if (asked !== undefined) throw refuse(name, why);
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
 * Marks what follows as code of the user's, until {@link answered} is called with what this returns.
 *
 * @example const before = asking('Node a'); try { … } finally { answered(before); }
 */
export function asking(who: Asked): Asked | undefined {
  const before = asked;
  asked = who;
  return before;
}

/** @throws {ConclaveError} `impure` where a clock or chance was asked since {@link asking}, even if the asked has swallowed the error. */
export function answered(before: Asked | undefined): void {
  asked = before;
  if (refusal === undefined) return;
  const error = refusal;
  refusal = undefined;
  throw error;
}
