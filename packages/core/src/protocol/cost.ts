import { badInput } from '../base/error.js';
import type { Property } from './property.js';
import type { Protocol } from './protocol.js';

/**
 * @throws {ConclaveError} `bad-input` for an `atMost` that counts commands or messages which
 * the protocol does not have.
 */
export function checkCosts(
  { name, commands, messages }: Protocol,
  properties: readonly Property[],
): void {
  for (const property of properties) {
    if (property.kind !== 'atMost') continue;
    const refuse = (what: string, known: readonly string[]) =>
      badInput(
        `Property '${property.name}': ${what} of '${name}'`,
        `It has ${known.join(', ') || 'none'}.`,
      );
    const { per, of = [] } = property;
    const optional = Object.keys(commands).filter((type) => commands[type]?.kind === 'optional');
    if (!optional.includes(per)) throw refuse(`'${per}' is no optional command`, optional);
    for (const type of of)
      if (!Object.hasOwn(messages, type))
        throw refuse(`'${type}' is no message`, Object.keys(messages));
  }
}
