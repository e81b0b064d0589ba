import { ConclaveError } from '../base/error.js';

/** Deeper data is refused: it contains itself, or is too large for a state. */
const deepest = 200;

/**
 * Whether `value` is plain data: numbers, strings, booleans, null, and arrays and objects of them;
 * otherwise the path to the first part that is not, and what it is: `queue[2].at (an instance of Date)`. Refused are NaN and the
 * infinities, `undefined` (also as a field), holes, symbols, accessors, fields that are not
 * enumerable, class instances, functions, BigInt, and data that is nested more than 200 deep or
 * contains itself.
 */
export function notPlain(value: unknown, path = ''): string | undefined {
  const inner = findNotPlain(value, 0);
  if (inner === undefined) return undefined;
  const where = path === '' && inner.startsWith('.') ? inner.slice(1) : `${path}${inner}`;
  if (where.endsWith(tooDeep)) return `${where.slice(0, -tooDeep.length).slice(0, 60)}${tooDeep}`;
  return where.startsWith(' (') ? `value${where}` : where;
}

/** What a part is that is not plain data, as it follows its path. */
function whatItIs(value: unknown): string {
  const kind = typeof value;
  if (kind === 'bigint' || kind === 'function' || kind === 'symbol') return ` (a ${kind})`;
  if (typeof value !== 'object' || value === null) return ` (${String(value)})`;
  return ` (an instance of ${value.constructor?.name ?? 'no class'})`;
}

const tooDeep = `… (nested more than ${deepest} deep, or holding itself)`;

/** Data known to be plain and frozen, with its depth: it is not checked again. */
const known = new WeakMap<object, number>();

/** The path is put together on the way back, so only where there is one. */
function findNotPlain(value: unknown, depth: number): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : whatItIs(value);
  if (typeof value !== 'object') return whatItIs(value);
  const height = Object.isFrozen(value) ? known.get(value) : undefined;
  if (height !== undefined && depth + height <= deepest) return undefined;
  if (depth > deepest) return tooDeep;
  const isArray = Array.isArray(value);
  if (Object.getPrototypeOf(value) !== (isArray ? Array.prototype : Object.prototype))
    return whatItIs(value);
  if (isArray) return itemNotPlain(value, depth);
  for (const key of Reflect.ownKeys(value)) {
    const found = fieldNotPlain(value, key, depth);
    if (found !== undefined) return `.${String(key)}${found}`;
  }
  return undefined;
}

function itemNotPlain(list: readonly unknown[], depth: number): string | undefined {
  for (let index = 0; index < list.length; index++) {
    const found = fieldNotPlain(list, index, depth);
    if (found !== undefined) return `[${index}]${found}`;
  }
  const keys = Reflect.ownKeys(list);
  if (keys.length <= list.length + 1) return undefined;
  const stray = keys.find((key) => key !== 'length' && !isIndex(key));
  return stray === undefined ? undefined : `.${String(stray)} (a field of an array)`;
}

const isIndex = (key: string | symbol): boolean => typeof key === 'string' && /^\d+$/.test(key);

function fieldNotPlain(holder: object, key: PropertyKey, depth: number): string | undefined {
  const field = Object.getOwnPropertyDescriptor(holder, key);
  if (field === undefined) return ' (a hole)';
  if (typeof key === 'symbol') return ' (a symbol as a key)';
  if (!('value' in field)) return ' (an accessor)';
  return field.enumerable ? findNotPlain(field.value, depth + 1) : ' (a hidden field)';
}

/**
 * `value`, checked to be plain data and deeply frozen, so that code which changes it throws at that
 * point. −0 becomes 0, since JSON does not distinguish them; then the result is a copy.
 *
 * @param refuse what to throw, given the path to the first part that is not plain data.
 */
export function frozenData<T>(value: T, path: string, refuse: (path: string) => Error): T {
  const data = plainData(value, path, refuse);
  freeze(data);
  return data;
}

/**
 * Like {@link frozenData}, but not frozen: for data that is usually known, and then thrown away.
 */
export function plainData<T>(value: T, path: string, refuse: (path: string) => Error): T {
  const bad = notPlain(value, path);
  if (bad !== undefined) throw refuse(bad);
  return holdsMinusZero(value) ? (withoutMinusZero(value) as T) : value; // the same data
}

/**
 * Whether `value` is plain data without −0; then it is deeply frozen. Otherwise {@link frozenData}
 * has to decide. Unlike that it does not remember what it has seen, which costs more than to look
 * at small fresh data. Fields that `value` shares with `before` are known to be fine.
 */
export function freezesPlain(value: object, before?: Fields): boolean {
  return freezesFields(value, before, 0);
}

type Fields = Readonly<Record<string, unknown>>;

function freezesFields(value: object, before: Fields | undefined, depth: number): boolean {
  if (depth > deepest) return false;
  const areFine = Array.isArray(value)
    ? areItemsFine(value, depth)
    : areFieldsFine(value, before, depth);
  if (areFine) Object.freeze(value);
  return areFine;
}

/**
 * Descriptors of elements cost more than all else; accessors among them, and hidden fields, are
 * left to the steps by XState.
 */
function areItemsFine(list: readonly unknown[], depth: number): boolean {
  const { length } = list;
  if (
    Object.getPrototypeOf(list) !== Array.prototype ||
    Object.keys(list).length !== length ||
    Object.getOwnPropertySymbols(list).length > 0
  )
    return false;
  for (let index = 0; index < length; index++) {
    const item = list[index];
    if (typeof item !== 'string' && !isFine(item, depth)) return false;
  }
  return true;
}

/** Symbols and names in one list: to ask for each takes longer. */
function areFieldsFine(value: object, before: Fields | undefined, depth: number): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const name of Reflect.ownKeys(value)) {
    const field = Object.getOwnPropertyDescriptor(value, name);
    if (typeof name !== 'string' || !field?.enumerable || !('value' in field)) return false;
    const item: unknown = field.value;
    if (!(typeof item === 'object' && item === before?.[name]) && !isFine(item, depth))
      return false;
  }
  return true;
}

function isFine(item: unknown, depth: number): boolean {
  if (typeof item === 'object')
    return item === null || isKnown(item, depth + 1) || freezesFields(item, undefined, depth + 1);
  if (typeof item === 'number') return Number.isFinite(item) && !Object.is(item, -0);
  return typeof item === 'string' || typeof item === 'boolean';
}

function isKnown(value: object, depth: number): boolean {
  const height = known.get(value);
  return height !== undefined && depth + height <= deepest;
}

/**
 * `value` without the fields of its objects that are `undefined`: in a context such a field is as
 * good as absent. Where there is none, and where anything is not plain, `value` itself.
 */
export function present<T>(value: T, depth = 0): T {
  if (typeof value !== 'object' || value === null || known.has(value) || depth > deepest)
    return value;
  const isArray = Array.isArray(value);
  const fields = Object.entries(value);
  const hasOthers = Reflect.ownKeys(value).length > fields.length + (isArray ? 1 : 0);
  if (Object.getPrototypeOf(value) !== (isArray ? Array.prototype : Object.prototype) || hasOthers)
    return value;
  const kept = fields.filter(([, item]) => isArray || item !== undefined);
  const changed = kept.map(([key, item]) => [key, present(item, depth + 1)] as const);
  if (kept.length === fields.length && changed.every(([, item], at) => item === kept[at]?.[1]))
    return value;
  // it lacks only what may be absent
  return (isArray ? changed.map(([, item]) => item) : Object.fromEntries(changed)) as T;
}

/** What to try where data is not plain. */
export const plainCure = 'Use numbers, strings, booleans, null, arrays and objects of them.';

/** Freezes plain data and returns its depth. */
export function freeze(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const before = known.get(value);
  if (before !== undefined) return before;
  let height = 0;
  const fields = value as Fields; // its own keys
  for (const key of Object.keys(value)) height = Math.max(height, freeze(fields[key]));
  Object.freeze(value);
  known.set(value, height + 1);
  return height + 1;
}

function holdsMinusZero(value: unknown): boolean {
  if (typeof value === 'number') return Object.is(value, -0);
  if (typeof value !== 'object' || value === null || known.has(value)) return false;
  return Array.isArray(value)
    ? value.some(holdsMinusZero)
    : Object.values(value).some(holdsMinusZero);
}

function withoutMinusZero(value: unknown): unknown {
  if (Object.is(value, -0)) return 0;
  if (Array.isArray(value)) return value.map(withoutMinusZero);
  return typeof value === 'object' && value !== null ? mapped(value, withoutMinusZero) : value;
}

/** A copy of plain data that shares nothing with it and is not frozen. */
export function copyOf<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(copyOf) as T; // a copy has the type of what it copies
  return mapped(value, copyOf) as T; // likewise
}

function mapped(value: object, each: (item: unknown) => unknown): object {
  const fields = value as Fields; // plain data that is no array
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) {
    if (key === '__proto__')
      // it is a setter
      return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, each(item)]));
    copy[key] = each(fields[key]);
  }
  return copy;
}

/** Whether two plain values are the same data with the same order of keys. */
export function identical(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    for (let index = 0; index < one.length; index++)
      if (!identical(one[index], other[index])) return false;
    return true;
  }
  // plain data that is no array is an object with fields
  return !Array.isArray(other) && sameFields(one as Fields, other as Fields);
}

function sameFields(one: Fields, other: Fields): boolean {
  const keys = Object.keys(one);
  const others = Object.keys(other);
  if (keys.length !== others.length || Object.getPrototypeOf(one) !== Object.getPrototypeOf(other))
    return false;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index] as string; // below the length
    if (key !== others[index] || !identical(one[key], other[key])) return false;
  }
  return true;
}

/**
 * The path to the first difference between two plain values, such as `queue[1]`, with both values;
 * undefined where they are equal.
 */
export function differenceOf(before: unknown, after: unknown, path = ''): string | undefined {
  if (Object.is(before, after)) return undefined;
  if (isBranch(before) && isBranch(after) && Array.isArray(before) === Array.isArray(after)) {
    const keys = Object.keys(before);
    for (const key of [
      ...keys,
      ...Object.keys(after).filter((other) => !Object.hasOwn(before, other)),
    ]) {
      if (Object.is(before[key], after[key])) continue;
      const at = Array.isArray(before) ? `${path}[${key}]` : path ? `${path}.${key}` : key;
      const found = differenceOf(before[key], after[key], at);
      if (found) return found;
    }
    return undefined;
  }
  const text = (value: unknown) => (value === undefined ? 'nothing' : JSON.stringify(value));
  return `${path || 'it'} was ${text(before)} and became ${text(after)}`;
}

const isBranch = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Whether `error` is what JavaScript throws when code changes frozen data. */
export const changesFrozen = (error: unknown): error is Error =>
  error instanceof Error &&
  /read only|not extensible|Cannot (delete|redefine) property|object is frozen|non-?writable/i.test(
    error.message,
  );

/**
 * The folder of this package's own code, as stacks write it; undefined where it is bundled together
 * with other code: then no frame tells whose code it is.
 */
const own =
  /^\s+at (?:.*\()?(.*[/\\])(?:protocol[/\\]plain-data\.[jt]s|dist[/\\]node[/\\][\w-]+\.js)\b/m.exec(
    String(new Error().stack),
  )?.[1];

/**
 * Where in the user's code an error was thrown, such as `machine.ts:12:5`; empty where the stack
 * does not say.
 */
export function placeOf({ stack = '' }: Error): string {
  if (own === undefined) return '';
  const isForeign = (line: string) =>
    /node_modules|node:|<anonymous>\)?$/.test(line) ||
    (line.includes(own) && !/\.(test|contract)\./.test(line));
  const frame = stack.split('\n').find((line) => /^\s+at /.test(line) && !isForeign(line));
  const place = /([^/\\(]+:\d+:\d+)\)?$/.exec(frame ?? '')?.[1];
  return place === undefined ? '' : ` (${place})`;
}

/**
 * The error for user code that changes what it was given; `who`, such as `Property 'x'`; `what`,
 * such as `context.queue[0]`.
 */
export const impure = (who: string, what: string, cause?: unknown): ConclaveError =>
  new ConclaveError(
    'impure',
    `${who} changes what it is given: ${what}`,
    'Return a new value, as in { ...context, queue: [...context.queue, id] }.',
    cause === undefined ? {} : { cause },
  );
