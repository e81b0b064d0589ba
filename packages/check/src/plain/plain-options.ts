/** The options of `exploreSystem`: what is wrong with them, and its properties, compiled. */
import { answerOf, checkOptions, isOfStates, propertyKinds } from '@conclave/core/internal';
import type { Json, Property, PropertyOf } from '@conclave/core/protocol';
import { ConclaveError } from '@conclave/core/protocol';
import { badInput } from '../base/bad-input.js';
import { plainOptions } from '../options/options.js';
import type { Limits } from '../search/limits/limits.js';
import type { Interner } from '../search/tables/interner.js';
import type {
  CompiledProperty,
  Scope,
  StateProperty,
} from '../verdicts/properties/compiled-property.js';
import { scopeOfReads } from './plain-reads.js';
import { excerpt } from './plain-system.js';

export interface PlainOptions<S extends Json> {
  /** All of them, `leadsTo` too, look at the state as a whole. */
  readonly properties: readonly PropertyOf<
    'always' | 'never' | 'sometimes' | 'eventually' | 'almostSurely' | 'leadsTo',
    S,
    S
  >[];
  /** Default `weak`. */
  readonly fairness?: 'none' | 'weak' | 'strong';
  readonly limits?: Limits;
  /** Default `breadth`: the path to a state is a shortest one. */
  readonly order?: 'breadth' | 'depth';
  /** Go on after the first violation. Default true. */
  readonly all?: boolean;
  readonly onProgress?: (states: number, transitions: number, depth: number) => void;
}

const plainKinds = Object.entries(propertyKinds).flatMap(([kind, { isPlain }]) =>
  isPlain ? kind : [],
);

/**
 * Options of `explore` and kinds of property that a system of plain functions does not have, with
 * what to do instead.
 */
const reasons: Readonly<Record<string, string>> = {
  search: 'Say order: "depth".',
  coverage: 'There are no statecharts to cover.',
  topology: 'There is no network.',
  atMost:
    'There are no messages and commands to be counted: keep a count in the state, and check it with always.',
  everyStep:
    'There are no nodes that take steps: keep the previous step in the state, and check it with always.',
  overtaken: 'There are no nodes that wait: count in the state, and check it with always.',
  increases:
    'There are no nodes with numbers: keep the largest one in the state, and check it with always.',
};

/**
 * @throws {ConclaveError} `bad-input` for options that are unknown, or that a plain system does not
 * have.
 */
export function requireOptions<S extends Json>(given: PlainOptions<S>): void {
  for (const [name, value] of Object.entries(given)) {
    const reason = reasons[name];
    if (value !== undefined && reason !== undefined)
      throw badInput(`A system of plain functions has no option '${name}'`, reason);
  }
  if (Array.isArray(given.properties))
    for (const [index, property] of given.properties.entries()) requireProperty(property, index);
  const defined = Object.entries(given).filter(([, value]) => value !== undefined);
  checkOptions('exploreSystem', plainOptions, Object.fromEntries(defined));
}

function requireProperty(
  property: Pick<Property, 'kind' | 'name'> | undefined,
  index: number,
): void {
  const kind = property?.kind;
  if (property && plainKinds.includes(String(kind))) return;
  const what =
    kind === undefined
      ? `properties[${index}] is not a property`
      : `'${property?.name}' has the kind ${excerpt(kind)}`;
  throw badInput(
    `${what}; a system of plain functions has properties of other kinds`,
    reasons[String(kind)] ?? `Use ${plainKinds.join(', ')}.`,
  );
}

type States<S> = Pick<Interner<S>, 'item' | 'items'>;
type PlainProperty<S extends Json> = PlainOptions<S>['properties'][number];

/** @param states all that were found, by the number that is their vector */
export function compilePlainProperty<S extends Json>(
  property: PlainProperty<S>,
  states: States<S>,
): CompiledProperty {
  const isTrue = predicateOf(property, property.holds);
  const scope = memo((): Scope => {
    if (property.kind === 'leadsTo') return { isVacuous: !states.items.some(isTrue) };
    return property.kind === 'sometimes'
      ? { isVacuous: false }
      : scopeOfReads(property.holds, states.items);
  });
  const holds = ofVector(isTrue, states);
  const { name, vacuous } = property;
  const compiled = { name, scope, ...(vacuous === undefined ? {} : { vacuous }) };
  if (isOfStates(property)) return { ...compiled, kind: property.kind, holds };
  const { kind } = property;
  if (kind !== 'leadsTo')
    return { ...compiled, kind, find: ({ liveness }) => liveness?.findForever(kind, holds) };
  const response = ofVector(predicateOf(property, property.then), states);
  const instances = [{ response, trigger: holds }];
  return { ...compiled, kind, find: ({ liveness }) => liveness?.findUnanswered(instances) };
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
): StateProperty {
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
