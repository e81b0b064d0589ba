import { ConclaveError } from './error.js';
import { type AtMost, atMost, type Property } from './property.js';
import type { Protocol } from './protocol.js';

/**
 * The most that `protocol` costs on `n` nodes, as a property: per wish, since no entry and no election is without one. Undefined where
 * the cost is not told, or has no bound, or is that of a run, or where there is not one wish but several or none.
 *
 * @example costOf(ricartAgrawala, 3)?.name // 'at most 4 messages per acquire'
 */
export function costOf({ commands, cost }: Protocol, n: number): AtMost | undefined {
  const [command, ...others] = Object.keys(commands).filter((type) => commands[type]?.kind === 'optional');
  if (!cost || cost.per === 'run' || command === undefined || others.length > 0) return undefined;
  const { most } = cost.messages(n);
  return most === Infinity ? undefined : atMost(most, { per: command });
}

/** @throws {ConclaveError} `bad-input` for an {@link atMost} that counts commands or messages which the protocol does not have. */
export function checkCosts({ name, commands, messages }: Protocol, properties: readonly Property[]): void {
  for (const property of properties) {
    if (property.kind !== 'atMost') continue;
    const refuse = (what: string, known: readonly string[]) =>
      new ConclaveError('bad-input', `Property '${property.name}': ${what} of '${name}'`, `It has ${known.join(', ') || 'none'}.`);
    const { per, of = [] } = property;
    const optional = Object.keys(commands).filter((type) => commands[type]?.kind === 'optional');
    if (!optional.includes(per)) throw refuse(`'${per}' is no optional command`, optional);
    for (const type of of) if (!Object.hasOwn(messages, type)) throw refuse(`'${type}' is no message`, Object.keys(messages));
  }
}
