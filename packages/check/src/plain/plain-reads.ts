/**
 * What a predicate reads of a plain state. A predicate that reads the same in all states cannot fail:
 * it is vacuous if the parts do not exist, since a name may be misspelt, and has a remark if they
 * never change. The first state is watched by proxies; the others are compared in the parts that were
 * read there, so a predicate runs once here.
 */
import { copyOf } from '@conclave/core/internal';
import { type Scope, unchangingText } from '../verdicts/properties/compiled-property.js';
import { sameData } from '../worlds/canonical.js';
import { excerpt } from './plain-system.js';

/** What a predicate has read of a state. */
interface Read {
  /** The keys, outermost first. */
  readonly path: readonly string[];
  /** Of an object or a list: whether only that it is one was read, not all of its data. */
  readonly isShape: boolean;
}

/** What there was for a predicate to look at, in all `states`. */
export function scopeOfReads<S>(predicate: (state: S) => boolean, states: readonly S[]): Scope {
  const [first] = states;
  const reads = readsOf(predicate, first as S); // there is an initial state
  for (const state of states)
    if (reads.some((read) => !sameData(partOf(first, read), partOf(state, read))))
      return { isVacuous: false };
  const still = reads
    .filter((read) => isInnermost(read, reads) && isThere(first, read.path))
    .map((read) => stillText(first, read));
  return still.length === 0
    ? { isVacuous: true }
    : { isVacuous: false, remark: unchangingText(still) };
}

/**
 * What a predicate reads of a state. Only the last step of an access counts: `state.queue.length`
 * reads the length, not the queue.
 */
function readsOf<S>(predicate: (state: S) => boolean, state: S): readonly Read[] {
  const whole: Read = { path: [], isShape: false };
  if (typeof state !== 'object' || state === null) return [whole];
  const reads = new Map<string, Read>();
  const note = (path: readonly string[], isShape = false) =>
    reads.set(JSON.stringify([path, isShape]), { path, isShape });
  const watch = (value: object, path: readonly string[]): object => {
    note(path, true);
    return new Proxy(value, {
      get: (target, key) => {
        const inner: unknown = Reflect.get(target, key);
        if (typeof key === 'symbol' || typeof inner === 'function') return inner;
        const here = [...path, key];
        if (typeof inner === 'object' && inner !== null) return watch(inner, here);
        note(here);
        return inner;
      },
      has: (target, key) => {
        note(path);
        return Reflect.has(target, key);
      },
      getOwnPropertyDescriptor: (target, key) => {
        note(path);
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
      ownKeys: (target) => {
        note(path);
        return Reflect.ownKeys(target);
      },
    });
  };
  try {
    predicate(watch(copyOf(state), []) as S); // it reads like the state itself
  } catch {
    return [whole]; // it does not work on a proxy, and may read the whole state
  }
  return [...reads.values()];
}

const at = (value: unknown, path: Read['path']): unknown =>
  path.reduce(
    (inner: unknown, key) =>
      typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined,
    value,
  );

/** What was read, as plain data. A missing part differs from all others. */
function partOf(state: unknown, { path, isShape }: Read): unknown {
  const part = at(state, path);
  if (part === undefined) return [];
  if (!isShape || typeof part !== 'object' || part === null) return [part];
  return Array.isArray(part) ? 'list' : 'object';
}

/** Whether nothing inside of it was read. That a state is there at all is not read. */
const isInnermost = (read: Read, reads: readonly Read[]): boolean =>
  !read.isShape ||
  (read.path.length > 0 &&
    !reads.some(
      (other) => other !== read && read.path.every((key, index) => other.path[index] === key),
    ));

/**
 * Whether the state has such a part; a list has any element, even if it is too short. Otherwise its
 * name may be misspelt.
 */
function isThere(state: unknown, path: Read['path']): boolean {
  if (at(state, path) !== undefined) return true;
  const [holder, key = ''] = [at(state, path.slice(0, -1)), path.at(-1)];
  return Array.isArray(holder) && /^\d+$/.test(key);
}

/** Such as `votes[0].by is always "a"`. */
function stillText(state: unknown, { path, isShape }: Read): string {
  const where = path.reduce(
    (text, key) => (/^\d+$/.test(key) ? `${text}[${key}]` : text ? `${text}.${key}` : key),
    '',
  );
  const part = at(state, path);
  const what =
    part === undefined
      ? 'missing'
      : isShape
        ? Array.isArray(part)
          ? 'a list'
          : 'an object'
        : excerpt(part);
  return `${where || 'the state'} is always ${what}`;
}
