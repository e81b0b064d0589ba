import { ConclaveError } from '../base/error.js';
import type { Topology } from '../topology/topology.js';
import { checkProtocol } from './check.js';
import { checkDefinition } from './definition.js';
import type { Command, Message, NodeId } from './node.js';
import type { FencedProtocol, Protocol, ProtocolDefinition } from './protocol.js';

/**
 * Puts statecharts, messages, network, assumptions and properties together, and checks that they
 * fit.
 *
 * @throws {ConclaveError} `bad-protocol`: a field that is missing, misspelt or of another type, a
 * machine that invokes or spawns actors or acts by plain functions, a context that is not plain data,
 * an unknown target or event, a message that is handled nowhere.
 */
export function defineProtocol<M extends Message, C extends Command>(
  definition: ProtocolDefinition<M, C> & Pick<FencedProtocol, 'fence'>,
): FencedProtocol<C>;
export function defineProtocol<M extends Message, C extends Command>(
  definition: ProtocolDefinition<M, C>,
): Protocol<C>;
export function defineProtocol<M extends Message, C extends Command>(
  definition: ProtocolDefinition<M, C>,
): Protocol<C> {
  checkDefinition(definition);
  const [onlyRole, ...moreRoles] = Object.keys(definition.roles);
  const { name } = definition;
  const protocol: Protocol<C> = {
    ...definition,
    roles: Object.fromEntries(
      Object.entries(definition.roles).map(([role, { input, ...others }]) => [
        role,
        { ...others, input: answering(`Protocol '${name}': input of role '${role}'`, input) },
      ]),
    ),
    roleOf: definition.roleOf
      ? answering(`Protocol '${name}': roleOf`, definition.roleOf)
      : () => onlyRole ?? '',
  };
  checkProtocol(protocol, definition.roleOf !== undefined || moreRoles.length === 0);
  return protocol;
}

/** A function of a node that says its name where it throws. */
const answering =
  <T>(name: string, answer: (id: NodeId, topology: Topology) => T) =>
  (id: NodeId, topology: Topology): T => {
    try {
      return answer(id, topology);
    } catch (error) {
      if (error instanceof ConclaveError) throw error;
      const why = error instanceof Error ? error.message : String(error);
      throw new ConclaveError(
        'bad-protocol',
        `${name} fails for node ${id} of '${topology.spec}': ${why}`,
        'Let it answer for every node of every network that the protocol takes.',
        { cause: error },
      );
    }
  };
