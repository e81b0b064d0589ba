import { answerOf } from '../protocol/answer.js';
import { ConclaveError } from '../protocol/error.js';
import type { Json } from '../protocol/node.js';
import { copyOf } from '../protocol/plain-data.js';
import { excerpt } from './compiled/plain-refusals.js';
import type { PlainOptions } from './options.js';
import type { CompiledProperty } from './verdicts/compiled-property.js';
import { canonical } from './worlds/canonical.js';

/** A property compiled to vectors, and whether a state decides it. */
export interface CompiledPlainProperty<S> extends CompiledProperty {
  readonly decides: (state: S) => boolean;
}

/** All states that a vector represents. */
export type Images<S> = (vector: Int32Array) => readonly S[];

type PlainProperty<S extends Json> = PlainOptions<S>['properties'][number];

/** An `always` must hold in all represented states, the other kinds in one of them. `states`: all that were found. */
export function compilePlainProperty<S extends Json>(
  property: PlainProperty<S>,
  images: Images<S>,
  states: readonly S[],
): CompiledPlainProperty<S> {
  const { name, kind } = property;
  const holds = asked(property, property.holds);
  const isVacuous = () =>
    kind === 'leadsTo' ? !states.some(holds) : kind !== 'sometimes' && looksAtNothing(property.holds, firstOf(states, images));
  const common = { name, kind, isVacuous, ...(property.vacuous === undefined ? {} : { vacuous: property.vacuous }) };
  if (kind === 'always') return { ...common, holds: (vector) => images(vector).every(holds), decides: (state) => !holds(state) };
  const some = { ...common, holds: (vector: Int32Array) => images(vector).some(holds), decides: holds };
  if (property.kind !== 'leadsTo') return some;
  const then = asked(property, property.then);
  const paid = (vector: Int32Array) => images(vector).some(then);
  return { ...some, instances: [{ response: paid, trigger: some.holds }] };
}

/** Some states, with all that they represent. */
const firstOf = <S>(states: readonly S[], images: Images<S>): readonly S[] =>
  states.slice(0, mostStates).flatMap((_, id) => images(Int32Array.of(id)));

/** Deadlock freedom: a run ends only where `done` says that it may. */
export function endsOnlyWhenDone<S extends Json>(done: (state: S) => boolean, images: Images<S>): CompiledPlainProperty<S> {
  const name = 'no run ends before it is done';
  const isDone = asked({ name }, done);
  const holds = (vector: Int32Array) => images(vector).every(isDone);
  return { name, kind: 'always', holds, decides: (state) => !isDone(state) };
}

/** Evaluates a predicate; an error names the state. */
const asked =
  <S>(property: { readonly name: string }, predicate: (state: S) => boolean) =>
  (state: S): boolean => {
    try {
      return answerOf(property, predicate, state);
    } catch (error) {
      if (!(error instanceof ConclaveError)) throw error;
      throw new ConclaveError(error.code, `${error.what}, in the state ${excerpt(state)}`, error.cure, { cause: error });
    }
  };

/** At most so many states are looked at. Usually the first one is enough. */
const mostStates = 10_000;

/** Where in a state a value was read: the keys, outermost first. */
type Path = readonly string[];

/** Whether all that a predicate reads of `states` is the same in all of them. */
function looksAtNothing<S>(predicate: (state: S) => boolean, states: readonly S[]): boolean {
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
