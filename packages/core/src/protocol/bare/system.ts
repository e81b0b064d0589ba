/**
 * Several statecharts that send each other events, as a protocol: each is a node, by its name.
 *
 *     system({ bank, shop }, { properties: [never('charged twice', …)] })
 *
 * A machine sends by `sendTo('bank', { type: 'pay' })`, or answers by
 * `sendTo(({ event }) => event.from, …)`. Which events are messages, and which fields they have, is
 * seen by a first look: the machines are run with what they send each other until nothing new
 * comes. All other events are commands of the application. A machine that one of them invokes is a
 * node as well: see invoked.ts.
 */
import type { AnyStateMachine } from 'xstate';
import { complete } from '../../topology/generators.js';
import type { TopologyNeed } from '../../topology/needs.js';
import { misfitOf } from '../check-machine.js';
import { defineProtocol } from '../define-protocol.js';
import { emittedEffect } from '../effects.js';
import type { Command, Json, Message, NodeId } from '../node.js';
import type { InFlight } from '../property.js';
import type { Protocol, ProtocolDefinition, Shape } from '../protocol.js';
import {
  assumedOf,
  assuming,
  type Beside,
  type Commands,
  endsOf,
  eventsOf,
  kebabCase,
  quoted,
  refusal,
} from './environment.js';
import { inputRead, look, requireExamples, requireKnown } from './examples.js';
import { familyOf, ignoring, type Member, startedByParent } from './invoked.js';
import { type Modelled, modelled, startOf } from './modelled.js';

export interface SystemOptions extends Omit<Beside, 'input'> {
  /** Default: the names of the machines. */
  readonly name?: string;
  /** By machine. Default: none. */
  readonly inputs?: Readonly<Record<NodeId, Json>>;
  /** What the machines tolerate of their channels. Default: `fifo`, nothing is lost or duplicated. */
  readonly channels?: ProtocolDefinition<Message, Command>['channels'];
}

/** A node of the system. */
interface Part {
  readonly id: NodeId;
  readonly member: Member;
  /** Its machine as a node would have it that starts by itself. */
  readonly modelled: Modelled;
  /** Its machine as a node. */
  readonly machine: AnyStateMachine;
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
  const names = new Set(ids);
  const families = Object.entries(machines).map(([id, machine]) =>
    familyOf(machine, id, names, options),
  );
  const sameFamily = (one: NodeId, other: NodeId) =>
    families.some((family) =>
      [one, other].every((node) => family.some(({ self }) => self === node)),
    );
  const parts = families.flat().map((member): Part => {
    const peers = ids.filter((id) => id !== member.self);
    const made = modelled(member.machine, { ...member, peers });
    const events = { ...eventsOf(made.machine, options), ...endsOf(made.actors, options) };
    return {
      id: member.self,
      ...{ member, modelled: made, events },
      machine: startedByParent(made.machine, member),
      input: inputs[member.self] ?? null,
    };
  });
  const isAsked = ({ id }: Part) => ids.length === 1 && id === ids[0] && inputs[id] === undefined;
  const { sent, commands: types } = messagesBetween(parts);
  const commandsOf = ({ events }: Part) =>
    Object.fromEntries(Object.entries(events).filter(([type]) => types.has(type)));
  const actors = parts.flatMap((part) => part.modelled.actors);
  requireDeclared(protocolName, parts, actors, options);
  for (const part of parts)
    requireExamples(part.id, part.modelled.machine, commandsOf(part), part.modelled.actors, {
      ...options,
      ...(isAsked(part) ? {} : { input: inputOf(part, sent) }),
    });
  const roles = parts.map(({ id, machine, input }) => {
    const inside = sent.filter(({ from, to }) => to === id && sameFamily(from, id));
    const ignored = new Set(inside.map(({ message: { type } }) => type));
    return [id, { machine: ignoring(machine, ignored), input: () => input }] as const;
  });
  const protocol = defineProtocol({
    name: protocolName,
    title: name,
    problem: 'own',
    citation: 'none',
    topology: allOf(parts.map(({ id }) => id)),
    channels: {
      ...(channels ?? { order: 'fifo', loss: false, duplication: false }),
      ...(parts.length > ids.length && { sameProcess: sameFamily }),
    },
    roles: Object.fromEntries(roles),
    roleOf: (id) => id,
    messages: shapesOf(sent),
    commands: Object.assign({}, ...parts.map(commandsOf)),
    waiting: false,
    properties,
    drawn: Object.fromEntries(
      parts.map(({ id, member }) => [id, startedByParent(member.machine, member)]),
    ),
  });
  return assuming(protocol, () => [
    ...assumedOf(actors, new Set(parts.flatMap((part) => [...part.modelled.effects])), options),
    ...assumedOfFamilies(families, inputs),
  ]);
}

function requireDeclared(
  name: string,
  parts: readonly Part[],
  actors: Modelled['actors'],
  beside: Beside,
): void {
  const listed = Object.assign({}, ...parts.map(({ events }) => events));
  const machines = parts.map(({ machine }) => machine);
  requireKnown(name, machines, listed, actors, beside);
}

/** What a machine starts with: an invoked one with what its parent gives it first. */
function inputOf({ id, member, input }: Part, sent: readonly InFlight[]): Json {
  if (!member.parent) return input;
  const type = startOf(member.parent.actor);
  const [start] = sent.filter(({ to, message }) => to === id && message.type === type);
  return (start?.message as { readonly input?: Json } | undefined)?.input ?? null; // see startOf
}

/** What a verdict about invoked machines, and about machines without an input, rests on. */
function assumedOfFamilies(
  families: readonly (readonly Member[])[],
  inputs: NonNullable<SystemOptions['inputs']>,
): readonly string[] {
  return families.flatMap(([parent, ...invoked]) => {
    if (!parent || invoked.length === 0) return [];
    const names = quoted([parent, ...invoked].map(({ self }) => self));
    const isAsked = inputs[parent.self] === undefined && inputRead(parent.machine).isRead;
    return [
      `that what ${names} send each other is taken before any other event; where several have sent, in any order`,
      ...(isAsked ? [`that ${parent.self} gets no input: input, or inputs, gives it one`] : []),
    ];
  });
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

/**
 * The messages that the first look has seen, and the types that are commands. A type that is sent
 * is none, unless the machines send it only when it comes from outside: one that is forwarded.
 */
function messagesBetween(parts: readonly Part[]): {
  readonly sent: readonly InFlight[];
  readonly commands: ReadonlySet<string>;
} {
  const all = parts.flatMap(({ events }) => Object.keys(events));
  const without = (sent: readonly InFlight[]) =>
    new Set(all.filter((type) => !sent.some(({ message }) => message.type === type)));
  const commands = without(sentBetween(parts, without(sentBetween(parts, new Set(all)))));
  return { sent: sentBetween(parts, commands), commands };
}

/** What the machines send each other, where only these types come from outside. */
function sentBetween(parts: readonly Part[], commands: ReadonlySet<string>): readonly InFlight[] {
  const seen = new Map<string, InFlight>();
  for (let round = 0, before = -1; round < mostRounds && before < seen.size; round++) {
    before = seen.size;
    for (const { id, machine, input, events } of parts) {
      const given = Object.entries(events).flatMap(([type, { examples = [{}] }]) =>
        commands.has(type) ? examples.map((one) => ({ type, ...one })) : [],
      );
      const arriving = [...seen.values()].flatMap(({ from, to, message }) =>
        to === id ? [{ ...message, from }] : [],
      );
      for (const emitted of look(machine, input, [...given, ...arriving])) {
        const effect = emittedEffect(emitted);
        if (effect?.type !== 'send') continue;
        const { to, message } = effect;
        seen.set(JSON.stringify([id, to, message]), { from: id, to, message });
      }
    }
  }
  return [...seen.values()];
}

function shapesOf(sent: readonly InFlight[]): Readonly<Record<string, Shape>> {
  const fieldsOf = (type: string) =>
    sent.flatMap(({ message }) =>
      message.type === type ? Object.keys(message).filter((key) => key !== 'type') : [],
    );
  return Object.fromEntries(
    sent.map(({ message: { type } }) => {
      const fields = [...new Set(fieldsOf(type))];
      return [type, { meaning: 'between the machines', ...(fields.length > 0 ? { fields } : {}) }];
    }),
  );
}
