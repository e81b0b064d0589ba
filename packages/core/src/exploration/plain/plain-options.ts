import { badInput } from '../../base/error.js';
import { plainOptions } from '../../options/exploration.js';
import type { Json } from '../../protocol/node.js';
import type { Property, PropertyOf } from '../../protocol/property.js';
import { checkOptions } from '../../schema/check.js';
import type { Limits } from '../search/limits/limits.js';
import { excerpt } from './plain-refusals.js';

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

const kinds = [
  'always',
  'never',
  'sometimes',
  'eventually',
  'almostSurely',
  'leadsTo',
] satisfies PlainOptions<Json>['properties'][number]['kind'][];
const isOneOf = (known: readonly string[], value: unknown): boolean =>
  typeof value === 'string' && known.includes(value);

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
  const told = Object.entries(given).filter(([, value]) => value !== undefined);
  checkOptions('exploreSystem', plainOptions, Object.fromEntries(told));
}

function requireProperty(
  property: Pick<Property, 'kind' | 'name'> | undefined,
  index: number,
): void {
  const kind = property?.kind;
  if (property && isOneOf(kinds, kind)) return;
  const what =
    kind === undefined
      ? `properties[${index}] is not a property`
      : `'${property?.name}' has the kind ${excerpt(kind)}`;
  throw badInput(
    `${what}; a system of plain functions has properties of other kinds`,
    reasons[String(kind)] ?? `Use ${kinds.join(', ')}.`,
  );
}
