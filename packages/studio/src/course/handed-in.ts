/** What is judged of a protocol that a student has written, of which nothing is sure. */
import type { Property } from '@conclave/core/protocol';
import { say } from '../texts/say.js';
import type { States } from './judge.js';

type HandedIn = Readonly<Record<string, unknown>>;

/**
 * The states of the chart of a role, which are data: actions and guards are names.
 *
 * @throws {Error} where there are none, or a function is among them
 */
export function statesOf({ roles }: HandedIn, role: string): States {
  const { machine } = Object(Object(roles)[role]);
  const states: unknown = Object(Object(machine).config).states;
  if (typeof states !== 'object' || states === null)
    throw new Error(say("the role '{role}' of its protocol has no machine with states", { role }));
  const text = JSON.stringify(states, (key, value: unknown) => {
    if (typeof value === 'function')
      throw new Error(
        say("'{key}' is a function. Only names of actions and guards stand in a chart", { key }),
      );
    return value;
  });
  return JSON.parse(text);
}

/**
 * Those that look like properties; the explorer says what is wrong with them.
 *
 * @throws {Error} where there are none
 */
export function propertiesOf({ properties }: HandedIn): readonly Property[] {
  if (!Array.isArray(properties)) throw new Error(say('its protocol has no list of properties'));
  const odd = properties.find((one) => typeof Object(one).name !== 'string' || !Object(one).kind);
  if (odd === undefined) return properties;
  throw new Error(say('one of its properties is none: always, never, sometimes … make them'));
}
