import { answerOf, numberFrom } from './answer.js';
import { badInput, ConclaveError } from './error.js';
import { requireMessage, requireTag, Tags } from './names.js';
import type { NodeId } from './node.js';
import type { InFlight, NodeStep, NodeView, Property, SystemView } from './property.js';
import { type Protocol, roleOf } from './protocol.js';
import { start } from './step.js';

/** A larger network is replaced by a small one: it finds the same mistakes. */
const mostNodes = 20;

/**
 * Evaluates each property in the initial states of a small network, and for nodes that seem to carry every tag. A misspelt tag, an unknown
 * message and a result that is neither true nor false show at once. Other errors that a property throws there are ignored.
 *
 * @throws {ConclaveError} `bad-input`, naming the property.
 */
export function checkProperties(protocol: Protocol, properties: readonly Property[], network = protocol.topology.example(3)): void {
  const names = properties.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  if (twice !== undefined) throw badInput(`Two properties have the name '${twice}'`, 'Give each a name of its own.');
  const topology = network.nodes.length > mostNodes ? protocol.topology.example(3) : network;
  const nodes = topology.nodes.map((id): NodeView => {
    const { name: role, machine, input } = roleOf(protocol, id, topology);
    return viewOfNode(protocol, id, role, start(machine, id, input(id, topology)).state);
  });
  for (const property of properties) {
    probe(property, protocol, nodes);
    const fullyTagged = nodes.map((node): NodeView => ({ ...node, tags: new EveryTag(protocol, node.tags) }));
    probe(property, protocol, fullyTagged);
  }
}

/** A node as properties see it, read-only. */
export function viewOfNode(
  protocol: Pick<Protocol, 'name' | 'roles' | 'messages'>,
  id: NodeId,
  role: string,
  { value, context, tags }: Pick<NodeView, 'value' | 'context'> & { readonly tags: Iterable<string> },
  crashed = false,
): NodeView {
  return Object.freeze({ id, role, value, context, tags: new Tags(protocol, crashed ? [] : tags), crashed });
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
    const isOurs = error instanceof ConclaveError && (error.cause === undefined || error.cause instanceof ConclaveError);
    if (isOurs) throw error;
  }
}

function evaluate(property: Property, protocol: Protocol, nodes: readonly NodeView[]): void {
  switch (property.kind) {
    case 'atMost':
      return;
    case 'increases':
      for (const node of nodes) numberFrom(property, node);
      return;
    case 'leadsTo':
      for (const node of nodes) {
        answerOf(property, property.holds, node);
        answerOf(property, property.then, node);
      }
      return;
    case 'overtaken':
      for (const node of nodes) {
        answerOf(property, property.waits, node);
        answerOf(property, property.inside, node);
      }
      return;
    case 'everyStep':
      for (const node of nodes)
        for (const cause of causesOf(protocol, node)) {
          const step: NodeStep = { before: node, after: node, cause, sent: [], notified: [] };
          answerOf(property, property.allows, step);
        }
      return;
    default:
      answerOf(property, property.holds, new Nodes(protocol, nodes));
  }
}

const causesOf = ({ messages, commands }: Protocol, { id }: NodeView): readonly NodeStep['cause'][] => [
  ...Object.keys(commands).map((type) => ({ kind: 'command', command: { type } }) as const),
  ...Object.keys(messages).map((type) => ({ kind: 'message', message: { type }, from: id }) as const),
  { kind: 'timeout', timer: '' },
];

/** A system of nodes without messages in flight. */
class Nodes implements SystemView {
  constructor(
    private readonly protocol: Protocol,
    readonly nodes: readonly NodeView[],
  ) {}

  get live(): number {
    return this.nodes.length;
  }

  node(id: NodeId): NodeView {
    const found = this.nodes.find((node) => node.id === id);
    if (!found) throw new Error(`no node ${id} in this small network`);
    return found;
  }

  count(tag: string): number {
    return this.tagged(tag).length;
  }

  tagged(tag: string): readonly NodeView[] {
    requireTag(this.protocol, tag);
    return this.nodes.filter(({ tags }) => tags.has(tag));
  }

  distinct(tag: string, field: string): readonly unknown[] {
    return [...new Set(this.tagged(tag).map(({ context }) => context[field]))];
  }

  inFlight(type?: string): readonly InFlight[] {
    requireMessage(this.protocol, type);
    return [];
  }
}
