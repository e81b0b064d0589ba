/**
 * Several statecharts that send each other events, as a protocol: each is a node, by its name.
 *
 *     system({ bank, shop }, { properties: [never('charged twice', …)] })
 *
 * A machine sends by `sendTo('bank', { type: 'pay' })`, or answers by
 * `sendTo(({ event }) => event.from, …)`. Which events are messages, and which fields they have, is
 * seen by a first look: the machines are run with what they send each other until nothing new
 * comes. All other events are commands of the application.
 */
import type { AnyStateMachine } from 'xstate';
import { complete } from '../../topology/generators.js';
import type { TopologyNeed } from '../../topology/needs.js';
import { misfitOf } from '../check-machine.js';
import { defineProtocol } from '../define-protocol.js';
import { emittedEffect } from '../effects.js';
import type { Command, Json, Message, NodeId } from '../node.js';
import type { Protocol, ProtocolDefinition, Shape } from '../protocol.js';
import {
  assumedOf,
  assuming,
  type Beside,
  type Commands,
  endsOf,
  eventsOf,
  kebabCase,
  look,
  refusal,
  requireExamples,
  requireKnown,
} from './machine-protocol.js';
import { type Modelled, modelled } from './modelled.js';

export interface SystemOptions extends Omit<Beside, 'input'> {
  /** Default: the names of the machines. */
  readonly name?: string;
  /** By machine. Default: none. */
  readonly inputs?: Readonly<Record<NodeId, Json>>;
  /** What the machines tolerate of their channels. Default: `fifo`, nothing is lost or duplicated. */
  readonly channels?: ProtocolDefinition<Message, Command>['channels'];
}

interface Part extends Modelled {
  readonly id: NodeId;
  readonly input: Json;
  readonly events: Commands;
}

/**
 * A protocol of these machines, each of which is a node, on the network that links all of them:
 * `made.topology.example(0)`.
 *
 * @throws {ConclaveError} `bad-protocol`: an event is read whose fields have no example, or what
 * {@link defineProtocol} refuses.
 * @example explore(made, made.topology.example(0))
 */
export function system(
  machines: Readonly<Record<NodeId, AnyStateMachine>>,
  options: SystemOptions = {},
): Protocol {
  const ids = Object.keys(machines);
  const { inputs = {}, properties = [], channels, name = ids.join(' and ') } = options;
  const protocolName = kebabCase(name);
  for (const [id, machine] of Object.entries(machines)) {
    const misfit = misfitOf(machine);
    if (misfit) throw refusal(id, misfit.what, misfit.cure);
  }
  const parts = Object.entries(machines).map(([id, machine]): Part => {
    const made = modelled(
      machine,
      ids.filter((other) => other !== id),
    );
    const events = { ...eventsOf(made.machine, options), ...endsOf(made.actors, options) };
    return { ...made, id, input: inputs[id] ?? null, events };
  });
  const sent = messagesBetween(parts);
  const messages = Object.fromEntries([...sent].map(([type, all]) => [type, shapeOf(all)]));
  const commandsOf = ({ events }: Part) =>
    Object.fromEntries(Object.entries(events).filter(([type]) => !sent.has(type)));
  const commands: Commands = Object.assign({}, ...parts.map(commandsOf));
  const actors = parts.flatMap((part) => part.actors);
  const listed = Object.assign({}, ...parts.map(({ events }) => events));
  requireKnown(
    protocolName,
    parts.map(({ machine }) => machine),
    listed,
    actors,
    options,
  );
  for (const part of parts)
    requireExamples(part.id, part.machine, commandsOf(part), part.actors, {
      ...options,
      input: part.input,
    });
  const protocol = defineProtocol({
    name: protocolName,
    title: name,
    problem: 'own',
    citation: 'none',
    topology: allOf(ids),
    channels: channels ?? { order: 'fifo', loss: false, duplication: false },
    roles: Object.fromEntries(
      parts.map(({ id, machine, input }) => [id, { machine, input: () => input }]),
    ),
    roleOf: (id) => id,
    messages,
    commands,
    waiting: false,
    properties,
    drawn: machines,
  });
  return assuming(protocol, () =>
    assumedOf(actors, new Set(parts.flatMap(({ effects }) => [...effects])), options),
  );
}

const allOf = (ids: readonly NodeId[]): TopologyNeed => ({
  name: `network of ${ids.join(', ')}`,
  refuses: ({ nodes }) =>
    `${[...nodes].sort()}` === `${[...ids].sort()}`
      ? undefined
      : `the nodes are ${nodes.join(', ')}`,
  example: () => complete(ids),
  overlay: () => complete(ids),
});

/** How often the machines are run with what they have sent each other. */
const mostRounds = 20;

/** By type: the messages that the first look has seen. A type that is sent is no command. */
function messagesBetween(parts: readonly Part[]): ReadonlyMap<string, readonly Message[]> {
  const byType = new Map<string, Message[]>();
  for (let before = -1; before < byType.size; ) {
    before = byType.size;
    const sent = sentBetween(parts, new Set(byType.keys()));
    byType.clear();
    for (const message of sent)
      byType.set(message.type, [...(byType.get(message.type) ?? []), message]);
  }
  return byType;
}

/** What the machines send each other, where these types come from machines only. */
function sentBetween(parts: readonly Part[], types: ReadonlySet<string>): readonly Message[] {
  const seen = new Map<string, Message>();
  const arriving = new Map(parts.map(({ id }) => [id, new Map<string, Message>()]));
  for (let round = 0, before = -1; round < mostRounds && before < seen.size; round++) {
    before = seen.size;
    for (const { id, machine, input, events } of parts) {
      const commands = Object.entries(events).flatMap(([type, { examples = [{}] }]) =>
        types.has(type) ? [] : examples.map((one) => ({ type, ...one })),
      );
      const messages = [...(arriving.get(id)?.values() ?? [])];
      for (const emitted of look(machine, input, [...commands, ...messages])) {
        const effect = emittedEffect(emitted);
        if (effect?.type !== 'send') continue;
        seen.set(JSON.stringify(effect.message), effect.message);
        const message = { ...effect.message, from: id };
        arriving.get(effect.to)?.set(JSON.stringify(message), message);
      }
    }
  }
  return [...seen.values()];
}

function shapeOf(messages: readonly Message[]): Shape {
  const fields = messages.flatMap((message) =>
    Object.keys(message).filter((key) => key !== 'type'),
  );
  return {
    meaning: 'between the machines',
    ...(fields.length > 0 ? { fields: [...new Set(fields)] } : {}),
  };
}
