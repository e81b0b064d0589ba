/**
 * The commands of a protocol as an environment gives them: to which nodes, and with which fields. A
 * command with fields comes as one of its examples, since nothing else says what an application
 * puts into them.
 */
import type { AnyStateMachine } from 'xstate';
import type { Topology } from '../topology/topology.js';
import { matches } from './handles.js';
import type { Command, NodeId } from './node.js';
import { type Protocol, roleOf } from './protocol.js';
import { stateNodes } from './regions.js';

/**
 * The nodes whose role takes the command `type` in some state: a coordinator that only serves
 * others never requests entry.
 *
 * @example nodesAccepting(raymond(), chain(3), 'acquire') // ['a', 'b', 'c']
 */
export function nodesAccepting(
  protocol: Protocol,
  topology: Topology,
  type: string,
): readonly NodeId[] {
  const byRole = new Map<string, boolean>();
  return topology.nodes.filter((id) => {
    const name = protocol.roleOf(id, topology);
    const accepts =
      byRole.get(name) ?? acceptsAnywhere(roleOf(protocol, id, topology).machine, type);
    byRole.set(name, accepts);
    return accepts;
  });
}

const acceptsAnywhere = (machine: AnyStateMachine, type: string): boolean =>
  stateNodes(machine).some(({ transitions }) =>
    [...transitions.keys()].some((descriptor) => matches(descriptor, type)),
  );

/**
 * The commands of `type` that need no further input: the bare command, or where it has fields, each
 * of its examples.
 */
export const examplesOf = ({ commands }: Protocol, type: string): readonly Command[] => {
  const { fields = [], examples = fields.length === 0 ? [{}] : [] } = commands[type] ?? {};
  return examples.map((example) => ({ type, ...example }));
};

/**
 * The optional commands of `protocol`: of those with fields, all examples.
 *
 * @example optionalCommands(ricartAgrawala) // [{ type: 'acquire' }]
 */
export const optionalCommands = (protocol: Protocol): readonly Command[] =>
  Object.entries(protocol.commands).flatMap(([type, { kind }]) =>
    kind === 'optional' ? examplesOf(protocol, type) : [],
  );
