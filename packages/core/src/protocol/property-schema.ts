/**
 * The schemas of lists of properties, made of the table of their kinds: a property that was written by
 * hand, not by a function such as `always`, is refused with the functions that make one.
 */
import * as v from 'valibot';
import { optionsOf, type Schema } from '../schema/check.js';
import { byKind, callback, count, oneOf, optional, text, texts, wanted } from '../schema/values.js';
import { propertyKinds } from './property.js';

const common = {
  kind: text,
  name: text,
  vacuous: optional(text),
  unless: optional(oneOf(['restart'])),
};
const fieldSchemas = { most: count, per: text, of: optional(texts) };

type Kind = readonly [name: string, (typeof propertyKinds)['always']];

function propertiesOf(kinds: readonly Kind[]): Schema {
  const names = kinds.map(([name]) => name);
  const schemas = kinds.map(([name, { functions, fields = [] }]) => [
    name,
    optionsOf({
      ...common,
      ...Object.fromEntries(Object.keys(functions).map((part) => [part, callback])),
      ...Object.fromEntries(fields.map((field) => [field, fieldSchemas[field]])),
    }),
  ]);
  const made = `made by ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  return v.array(
    byKind(Object.fromEntries(schemas), wanted('a property', made)),
    'a list of properties',
  );
}

const all = Object.entries(propertyKinds);
export const properties = propertiesOf(all);
export const plainProperties = propertiesOf(all.filter(([, { isPlain }]) => isPlain));
