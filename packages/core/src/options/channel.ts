import * as v from 'valibot';
import type { Conditions, Delay } from '../channel/conditions.js';
import { optionsOf, type Schema } from './check.js';
import { choices, milliseconds, oneOf, optional, probability } from './values.js';

const ms = milliseconds;
const kind = <K extends Delay['kind']>(name: K) => v.literal(name);

type Of<K extends Delay['kind']> = Extract<Delay, { kind: K }>;

/** A delay is one of these, told by its kind. */
const delays = {
  fixed: optionsOf<Of<'fixed'>>({ kind: kind('fixed'), ms }),
  uniform: v.pipe(
    optionsOf<Of<'uniform'>>({ kind: kind('uniform'), least: ms, most: ms }),
    v.check(({ least, most }) => !(least > most), 'a least delay that is not above the most'),
  ),
  exponential: optionsOf<Of<'exponential'>>({ kind: kind('exponential'), mean: ms }),
  normal: optionsOf<Of<'normal'>>({ kind: kind('normal'), mean: ms, deviation: ms }),
  link: optionsOf<Of<'link'>>({ kind: kind('link'), jitter: optional(v.lazy(() => delay)) }),
} satisfies Readonly<Record<Delay['kind'], Schema>>;

const isKind = (name: unknown): name is Delay['kind'] => typeof name === 'string' && Object.hasOwn(delays, name);
const anyDelay = v.looseObject(
  { kind: v.custom(isKind, `one of ${Object.keys(delays).join(', ')}`) },
  "a delay, such as { kind: 'fixed', ms: 5 }",
);

export const delay: Schema<Delay> = v.lazy((given) => {
  const name = typeof given === 'object' && given !== null && 'kind' in given ? given.kind : undefined;
  return (isKind(name) ? delays[name] : anyDelay) as Schema<Delay>; // what passes one of them is a delay
});

export const conditionChanges = optionsOf<Conditions>({
  delay: optional(delay),
  order: optional(oneOf(choices.order)),
  loss: optional(probability),
  duplication: optional(probability),
});
