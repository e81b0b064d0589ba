import { copyOf } from '../protocol/plain-data.js';
import { canonical } from './worlds/canonical.js';

/** At most so many states are looked at. Usually the first one is enough. */
export const mostStates = 10_000;

/** Where in a state a value was read: the keys, outermost first. */
type Path = readonly string[];

/** Whether all that a predicate reads of `states` is the same in all of them. */
export function looksAtNothing<S>(predicate: (state: S) => boolean, states: readonly S[]): boolean {
  const some = states.slice(0, mostStates);
  const [first] = some;
  if (some.length < 2) return true;
  const known = new Set<string>();
  for (const state of some)
    for (const path of readsOf(predicate, state)) {
      const key = JSON.stringify(path);
      if (known.has(key)) continue;
      known.add(key);
      const value = canonical(at(first, path));
      if (some.some((other) => canonical(at(other, path)) !== value)) return false;
    }
  return true;
}

/** What a predicate reads of a state. Only the last step of an access counts: `state.queue.length` reads the length, not the queue. */
function readsOf<S>(predicate: (state: S) => boolean, state: S): readonly Path[] {
  if (typeof state !== 'object' || state === null) return [[]];
  const paths: Path[] = [];
  const watch = (value: object, path: Path): object =>
    new Proxy(value, {
      get: (target, key) => {
        const inner: unknown = Reflect.get(target, key);
        if (typeof key === 'symbol' || typeof inner === 'function') return inner;
        const here = [...path, key];
        if (typeof inner === 'object' && inner !== null) return watch(inner, here);
        paths.push(here);
        return inner;
      },
      has: (target, key) => {
        paths.push(path);
        return Reflect.has(target, key);
      },
      getOwnPropertyDescriptor: (target, key) => {
        paths.push(path);
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
      ownKeys: (target) => {
        paths.push(path);
        return Reflect.ownKeys(target);
      },
    });
  try {
    predicate(watch(copyOf(state), []) as S); // it reads like the state itself
  } catch {
    return [[]]; // it does not work on a proxy, and may read the whole state
  }
  return paths;
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce((inner: unknown, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined), value);
