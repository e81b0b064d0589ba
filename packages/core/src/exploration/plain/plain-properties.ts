import { ConclaveError } from '../../base/error.js';
import { answerOf } from '../../protocol/answer.js';
import type { Json } from '../../protocol/node.js';
import type { CompiledProperty, Scope } from '../verdicts/properties/compiled-property.js';
import type { PlainOptions } from './plain-options.js';
import { scopeOfReads } from './plain-reads.js';
import { excerpt } from './plain-refusals.js';

/** A property compiled to vectors, and whether a state decides it. */
export interface CompiledPlainProperty<S> extends CompiledProperty {
  readonly decides: (state: S) => boolean;
}

/** All states that a vector represents. */
export type Images<S> = (vector: Int32Array) => readonly S[];

type PlainProperty<S extends Json> = PlainOptions<S>['properties'][number];

/**
 * An `always` must hold in all represented states, the other kinds in one of them. `states`: all
 * that were found.
 */
export function compilePlainProperty<S extends Json>(
  property: PlainProperty<S>,
  images: Images<S>,
  states: readonly S[],
): CompiledPlainProperty<S> {
  const { name, kind } = property;
  const holds = predicateOf(property, property.holds);
  const scope = memo((): Scope => {
    if (property.kind === 'leadsTo') return { isVacuous: !states.some(holds) };
    return property.kind === 'sometimes'
      ? { isVacuous: false }
      : scopeOfReads(property.holds, () => everyOne(states, images));
  });
  const common = {
    name,
    kind,
    scope,
    ...(property.vacuous === undefined ? {} : { vacuous: property.vacuous }),
  };
  if (kind === 'always')
    return {
      ...common,
      holds: (vector) => images(vector).every(holds),
      decides: (state) => !holds(state),
    };
  const some = {
    ...common,
    holds: (vector: Int32Array) => images(vector).some(holds),
    decides: holds,
  };
  if (property.kind !== 'leadsTo') return some;
  const then = predicateOf(property, property.then);
  const paid = (vector: Int32Array) => images(vector).some(then);
  return { ...some, instances: [{ response: paid, trigger: some.holds }] };
}

/** All states, with all that they represent. */
function* everyOne<S>(states: readonly S[], images: Images<S>): Generator<S> {
  for (const id of states.keys()) yield* images(Int32Array.of(id));
}

function memo<T>(make: () => T): () => T {
  let known: T | undefined;
  return () => {
    known ??= make();
    return known;
  };
}

/** Deadlock freedom: a run ends only where `done` says that it may. */
export function endsOnlyWhenDone<S extends Json>(
  done: (state: S) => boolean,
  images: Images<S>,
): CompiledPlainProperty<S> {
  const name = 'no run ends before it is done';
  const isDone = predicateOf({ name }, done);
  const holds = (vector: Int32Array) => images(vector).every(isDone);
  return { name, kind: 'always', holds, decides: (state) => !isDone(state) };
}

/** Evaluates a predicate; an error names the state. */
const predicateOf =
  <S>(property: { readonly name: string }, predicate: (state: S) => boolean) =>
  (state: S): boolean => {
    try {
      return answerOf(property, predicate, state);
    } catch (error) {
      if (!(error instanceof ConclaveError)) throw error;
      throw new ConclaveError(
        error.code,
        `${error.what}, in the state ${excerpt(state)}`,
        error.cure,
        { cause: error },
      );
    }
  };
