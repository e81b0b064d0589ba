import * as v from 'valibot';
import type { Schema } from '../schema/check.js';
import { has, isFunction, isText, wanted } from '../schema/shape.js';
import type { Property } from './property.js';

/**
 * The functions of each kind of property, and whether it applies to a plain system, which has no
 * messages and no nodes.
 */
const kinds: Readonly<
  Record<Property['kind'], { readonly functions: readonly string[]; readonly plain: boolean }>
> = {
  always: { functions: ['holds'], plain: true },
  never: { functions: ['holds'], plain: true },
  sometimes: { functions: ['holds'], plain: true },
  eventually: { functions: ['holds'], plain: true },
  almostSurely: { functions: ['holds'], plain: true },
  alwaysEventually: { functions: ['holds'], plain: false },
  leadsTo: { functions: ['holds', 'then'], plain: true },
  atMost: { functions: [], plain: false },
  increases: { functions: ['numberOf'], plain: false },
  everyStep: { functions: ['allows'], plain: false },
  overtaken: { functions: ['waits', 'inside'], plain: false },
};

function propertiesOf(isKnown: (kind: (typeof kinds)[Property['kind']]) => boolean): Schema {
  const known = Object.entries(kinds).filter(([, kind]) => isKnown(kind));
  const names = known.map(([name]) => name);
  const made = `made by ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  const is =
    ([kind, { functions }]: (typeof known)[number]) =>
    (value: unknown) =>
      has(value, {
        kind: (given) => given === kind,
        name: isText,
        ...Object.fromEntries(functions.map((name) => [name, isFunction])),
      });
  return v.array(
    v.custom((value) => known.some((kind) => is(kind)(value)), wanted('a property', made)),
    'a list of properties',
  );
}

export const properties = propertiesOf(() => true);
export const plainProperties = propertiesOf(({ plain }) => plain);
