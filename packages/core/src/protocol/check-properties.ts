/**
 * Whether properties can be of a protocol, and how they see its nodes. A predicate is a function: what
 * it asks for cannot be read from it. So each is tried on a small network before a long search, to
 * find a misspelt tag in a second and not after an hour.
 */
import { badInput, ConclaveError } from '../base/error.js';
import { answerOf, numberOf } from './answer.js';
import { NodeHistory } from './history.js';
import { requireMessage, requireTag, Tags, tagsOf } from './names.js';
import type { Json, NodeId } from './node.js';
import {
  type FunctionOfProperty,
  functionsOf,
  type InFlight,
  type NodeStep,
  type NodeView,
  type Property,
  type SystemView,
} from './property.js';
import { type Protocol, roleOf } from './protocol.js';
import { start } from './step.js';

/** A larger network is replaced by a small one: it finds the same mistakes. */
const mostNodes = 20;

/**
 * Evaluates each property in the initial states of a small network, and for nodes that seem to
 * carry every tag. A misspelt tag, an unknown message and a result that is neither true nor false
 * show at once. Other errors that a property throws there are ignored.
 *
 * @throws {ConclaveError} `bad-input`, naming the property.
 */
export function checkProperties(
  protocol: Protocol,
  properties: readonly Property[],
  network = protocol.topology.example(3),
): void {
  const names = properties.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined)
    throw badInput(`Two properties have the name '${twice}'`, 'Give each a name of its own.');
  const topology = network.nodes.length > mostNodes ? protocol.topology.example(3) : network;
  const nodes = topology.nodes.map((id): NodeView => {
    const { name: role, machine, input } = roleOf(protocol, id, topology);
    const recorded = NodeHistory.of(protocol, topology, id)?.initial();
    const { state } = start(machine, id, input(id, topology));
    return viewOfNode(protocol, id, role, state, recorded);
  });
  for (const property of properties) {
    probe(property, protocol, nodes);
    const fullyTagged = nodes.map(
      (node): NodeView => ({ ...node, tags: new EveryTag(protocol, node.tags) }),
    );
    probe(property, protocol, fullyTagged);
  }
}

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

const noTags: readonly string[] = [];

type StateSeen = Pick<NodeView, 'value' | 'context'> & {
  readonly tags: readonly string[] | ReadonlySet<string>;
};

/** A node as properties see it, read-only. `history`: what its protocol recorded. */
export function viewOfNode(
  protocol: Pick<Protocol, 'name' | 'roles' | 'messages'>,
  id: NodeId,
  role: string,
  { value, context, tags }: StateSeen,
  history: Json | undefined,
  crashed = false,
): NodeView {
  const seen = tagsOf(protocol, crashed ? noTags : tags);
  // two literals: this is called for each step of a simulation
  return Object.freeze(
    history === undefined
      ? { id, role, value, context, tags: seen, crashed }
      : { id, role, value, context, tags: seen, crashed, history },
  );
}

/** A system of these nodes, with these messages in flight, as properties see it. */
export function systemViewOf(
  protocol: Pick<Protocol, 'name' | 'roles' | 'messages'>,
  nodes: readonly NodeView[],
  messages: () => readonly InFlight[],
): SystemView {
  const tagged = (tag: string) => {
    requireTag(protocol, tag);
    return nodes.filter(({ tags }) => tags.has(tag));
  };
  return {
    nodes,
    live: nodes.filter(({ crashed }) => !crashed).length,
    node: (id) => {
      const node = nodes.find((node) => node.id === id);
      if (!node) throw badInput(`The system has no node '${id}'`);
      return node;
    },
    tagged,
    count: (tag) => tagged(tag).length,
    distinct: (tag, field) => [...new Set(tagged(tag).map(({ context }) => context[field]))],
    inFlight: (type) => {
      requireMessage(protocol, type);
      return messages().filter(({ message }) => type === undefined || message.type === type);
    },
  };
}

/** Claims to have every tag of the protocol. */
class EveryTag extends Tags {
  override has(tag: string): boolean {
    super.has(tag); // refuses unknown tags
    return true;
  }
}

function probe(property: Property, protocol: Protocol, nodes: readonly NodeView[]): void {
  try {
    evaluate(property, protocol, nodes);
  } catch (error) {
    const isOurs =
      error instanceof ConclaveError &&
      (error.cause === undefined || error.cause instanceof ConclaveError);
    if (isOurs) throw error;
  }
}

function evaluate(property: Property, protocol: Protocol, nodes: readonly NodeView[]): void {
  for (const asked of functionsOf(property))
    if (asked.sees === 'system')
      answerOf(property, asked.ask, {
        ...systemViewOf(protocol, nodes, () => []),
        node: nodeIn(nodes),
      });
    else for (const node of nodes) askOfNode(property, protocol, asked, node);
}

function askOfNode(
  property: Property,
  protocol: Protocol,
  { sees, ask }: Exclude<FunctionOfProperty, { readonly sees: 'system' }>,
  node: NodeView,
): void {
  if (sees === 'node') answerOf(property, ask, node);
  else if (sees === 'number') numberOf(property, ask, node);
  else
    for (const cause of causesOf(protocol, node))
      answerOf(property, ask, { before: node, after: node, cause, sent: [], notified: [] });
}

const causesOf = (
  { messages, commands }: Protocol,
  { id }: NodeView,
): readonly NodeStep['cause'][] => [
  ...Object.keys(commands).map((type) => ({ kind: 'command', command: { type } }) as const),
  ...Object.keys(messages).map(
    (type) => ({ kind: 'message', message: { type }, from: id }) as const,
  ),
  { kind: 'timeout', timer: '' },
];

/** In a small network a property may miss a node of its own: an error that is ignored. */
const nodeIn = (nodes: readonly NodeView[]) => (id: NodeId) => {
  const found = nodes.find((node) => node.id === id);
  if (!found) throw new Error(`no node ${id} in this small network`);
  return found;
};
