import { checkProtocol } from './check.js';
import { checkDefinition } from './definition.js';
import type { Command, Message } from './node.js';
import type { Protocol, ProtocolDefinition } from './protocol.js';

/**
 * Puts statecharts, messages, network, assumptions and properties together, and checks that they
 * fit.
 *
 * @throws {ConclaveError} `bad-protocol`: a field that is missing, misspelt or of another type, a
 * machine that invokes or spawns actors or acts by plain functions, a context that is not plain data,
 * an unknown target or event, a message that is handled nowhere.
 */
export function defineProtocol<M extends Message, C extends Command>(
  definition: ProtocolDefinition<M, C>,
): Protocol<C> {
  checkDefinition(definition);
  const [onlyRole, ...moreRoles] = Object.keys(definition.roles);
  const protocol: Protocol<C> = {
    ...definition,
    roleOf: definition.roleOf ?? (() => onlyRole ?? ''),
  };
  checkProtocol(protocol, definition.roleOf !== undefined || moreRoles.length === 0);
  return protocol;
}
