import { badInput } from '../base/error.js';
import type { Topology } from '../topology/topology.js';
import { atMost, type Property, type PropertyOf } from './property.js';
import type { Protocol } from './protocol.js';

/**
 * The upper bound of the cost of `protocol` on `n` nodes, or on `topology`, as a property: messages
 * per optional command, since each entry and each election begins with at least one. Undefined
 * where the protocol declares no cost, a cost without a bound or a cost per run, or does not say
 * which of several optional commands it counts.
 *
 * @example costOf(ricartAgrawala, 3)?.name // 'at most 4 messages per acquire'
 */
export function costOf(
  { commands, cost }: Protocol,
  n: number,
  topology?: Topology,
): PropertyOf<'atMost'> | undefined {
  const [only, ...others] = Object.keys(commands).filter(
    (type) => commands[type]?.kind === 'optional',
  );
  const command = cost?.command ?? (others.length > 0 ? undefined : only);
  if (!cost || cost.per === 'run' || cost.per === 'period' || command === undefined)
    return undefined;
  const { most } = cost.messages(n, topology);
  return most === Infinity
    ? undefined
    : atMost(most, { per: command, ...(cost.of ? { of: cost.of } : {}) });
}

/**
 * @throws {ConclaveError} `bad-input` for an {@link atMost} that counts commands or messages which
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
