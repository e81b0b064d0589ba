import * as v from 'valibot';
import { badInput, nearest } from '../base/error.js';

/** What a value must be. The message of an issue ends the sentence `Give …`. */
export type Schema<T = unknown> = v.GenericSchema<unknown, T>;

/**
 * An object with these keys and no others. Given `Options`, the compiler requires exactly the keys
 * of that interface.
 */
export const optionsOf = <Options>(
  entries: Readonly<Record<keyof Options, Schema>>,
): Schema<Options> =>
  v.strictObject<v.ObjectEntries, string>(
    { ...entries },
    Object.keys(entries).join(', '),
  ) as unknown as Schema<Options>; // the entries check what they name

/**
 * Checks the `options` of the function `where` against their schema.
 *
 * @throws {ConclaveError} `bad-input`: an unknown option, with the nearest known one; a missing
 * option; an invalid value.
 */
export function checkOptions(where: string, schema: Schema, options: unknown): void {
  const mistake = mistakeIn(schema, options);
  if (mistake) throw badInput(`${where}: ${mistake[0]}`, mistake[1]);
}

/**
 * What is wrong with `options`, and what to do.
 *
 * @param word for one of them
 */
export function mistakeIn(
  schema: Schema,
  options: unknown,
  word = 'option',
): readonly [what: string, cure: string] | undefined {
  const { issues } = v.safeParse(schema, options);
  return issues && explained(issues.find(isUnknown) ?? issues[0], word);
}

/** What a value should be, such as `a whole number, 0 or more`; undefined when it is. */
export function wantedInstead(schema: Schema, value: unknown): string | undefined {
  return v.safeParse(schema, value).issues?.[0].message;
}

type Issue = v.BaseIssue<unknown>;

const isOfObject = ({ type }: Issue): boolean => type === 'strict_object';
const isUnknown = (issue: Issue): boolean => isOfObject(issue) && issue.expected === 'never';

function explained(issue: Issue, word: string): readonly [what: string, cure: string] {
  const path = v.getDotPath(issue);
  const { message, input } = issue;
  if (path === null)
    return [
      `it is given ${shown(input)}`,
      `Give ${isOfObject(issue) ? `an object with some of ${message}` : message}.`,
    ];
  if (isUnknown(issue)) return [`there is no ${word} '${path}'`, whichInstead(path, message)];
  if (isOfObject(issue) && issue.expected !== 'Object')
    return [`${path} is missing`, `It knows ${message}.`];
  if (isOfObject(issue))
    return [`${path} is ${shown(input)}`, `Give an object with some of ${message}.`];
  return [`${path} is ${shown(input)}`, `Give ${message}.`];
}

function whichInstead(path: string, known: string): string {
  const names = known.split(', ');
  const meant = nearest(path.split('.').at(-1) ?? path, names);
  if (meant === undefined) return `It knows ${known}.`;
  return `Did you mean '${meant}'?${names.length > 30 ? '' : ` It knows ${known}.`}`;
}

/** A value short enough for an error message. */
function shown(value: unknown): string {
  if (typeof value === 'string')
    return `'${value.length <= 60 ? value : `${value.slice(0, 59)}…`}'`;
  if (typeof value === 'function')
    return value.name === '' ? 'a function' : `the function ${value.name}`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
