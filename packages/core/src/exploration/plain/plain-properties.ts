import { ConclaveError } from '../../base/error.js';
import { answerOf } from '../../protocol/answer.js';
import type { Json } from '../../protocol/node.js';
import type { Interner } from '../search/tables/interner.js';
import type { CompiledProperty, Scope } from '../verdicts/properties/compiled-property.js';
import type { PlainOptions } from './plain-options.js';
import { scopeOfReads } from './plain-reads.js';
import { excerpt } from './plain-refusals.js';

type States<S> = Pick<Interner<S>, 'item' | 'items'>;
type PlainProperty<S extends Json> = PlainOptions<S>['properties'][number];

/** @param states all that were found, by the number that is their vector */
export function compilePlainProperty<S extends Json>(
  property: PlainProperty<S>,
  states: States<S>,
): CompiledProperty {
  const { name, kind } = property;
  const isTrue = predicateOf(property, property.holds);
  const scope = memo((): Scope => {
    if (property.kind === 'leadsTo') return { isVacuous: !states.items.some(isTrue) };
    return property.kind === 'sometimes'
      ? { isVacuous: false }
      : scopeOfReads(property.holds, states.items);
  });
  const holds = ofVector(isTrue, states);
  const compiled = {
    ...{ name, kind, scope, holds },
    ...(property.vacuous === undefined ? {} : { vacuous: property.vacuous }),
  };
  if (property.kind !== 'leadsTo') return compiled;
  const response = ofVector(predicateOf(property, property.then), states);
  return { ...compiled, instances: [{ response, trigger: holds }] };
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
  states: States<S>,
): CompiledProperty {
  const name = 'no run ends before it is done';
  return { name, kind: 'always', holds: ofVector(predicateOf({ name }, done), states) };
}

/** A predicate of states as one of vectors. */
const ofVector =
  <S>(isTrue: (state: S) => boolean, states: States<S>) =>
  (vector: Int32Array): boolean =>
    isTrue(states.item(vector[0] as number)); // a vector has one number

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
