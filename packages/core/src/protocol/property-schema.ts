import * as v from 'valibot';
import { optionsOf, type Schema } from '../schema/check.js';
import { byKind, callback, count, oneOf, optional, text, texts, wanted } from '../schema/values.js';
import type { Property } from './property.js';

const common = {
  kind: text,
  name: text,
  vacuous: optional(text),
  unless: optional(oneOf(['restart'])),
};
const ofStates = optionsOf({ ...common, holds: callback });

/** Those that apply to a plain system, too, which has no messages and no nodes. */
const plain = {
  always: ofStates,
  never: ofStates,
  sometimes: ofStates,
  eventually: ofStates,
  almostSurely: ofStates,
  // biome-ignore lint/suspicious/noThenProperty: a word of temporal logic; nobody awaits a schema
  leadsTo: optionsOf({ ...common, holds: callback, then: callback }),
} satisfies Partial<Record<Property['kind'], Schema>>;

const all: Readonly<Record<Property['kind'], Schema>> = {
  ...plain,
  alwaysEventually: ofStates,
  atMost: optionsOf({
    ...common,
    most: count,
    per: text,
    of: optional(texts),
  }),
  increases: optionsOf({ ...common, numberOf: callback }),
  everyStep: optionsOf({ ...common, allows: callback }),
  overtaken: optionsOf({ ...common, most: count, waits: callback, inside: callback }),
};

function propertiesOf(kinds: Readonly<Record<string, Schema>>): Schema {
  const names = Object.keys(kinds);
  const made = `made by ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  return v.array(byKind(kinds, wanted('a property', made)), 'a list of properties');
}

export const properties = propertiesOf(all);
export const plainProperties = propertiesOf(plain);

interface OfKind {
  readonly kind: Property['kind'];
}
type OfStates = { readonly kind: 'always' | 'never' | 'sometimes' };

/** Whether single states decide a property. */
export const isOfStates = <P extends OfKind>(property: P): property is Extract<P, OfStates> =>
  !isOfRuns(property);

/** Whether a property is about runs, not single states: some searches do not keep runs. */
export const isOfRuns = ({ kind }: OfKind): boolean =>
  kind !== 'always' && kind !== 'never' && kind !== 'sometimes';

/** Whether a run counts only if optional commands come that stay possible. */
export const reliesOnCommands = (kind: Property['kind']): boolean =>
  kind === 'eventually' || kind === 'almostSurely';
