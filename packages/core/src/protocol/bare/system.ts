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
import { defineProtocol } from '../define-protocol.js';
import { emittedEffect } from '../effects.js';
import type { Command, Json, Message, NodeId } from '../node.js';
import type { InFlight } from '../property.js';
import type { Protocol, ProtocolDefinition, Shape } from '../protocol.js';
import { stateNodes } from '../regions.js';
import { misfitOf } from '../xstate-version.js';
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
  shapeOf,
} from './environment.js';
import { inputRead, look, requireExamples, requireKnown } from './examples.js';
import { familyOf, ignoring, type Member, startedByParent } from './invoked.js';
import {
  actionsIn,
  doneOf,
  hasInput,
  type Modelled,
  modelled,
  startOf,
  stopOf,
} from './modelled.js';

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
  const { families, sameFamily, parts } = partsOf(machines, options);
  const isAsked = ({ id }: Part) => ids.length === 1 && id === ids[0] && inputs[id] === undefined;
  const { sent, commands: types } = messagesBetween(parts, options);
  const commandsOf = ({ events }: Part) =>
    Object.fromEntries(Object.entries(events).filter(([type]) => types.has(type)));
  const actors = parts.flatMap((part) => part.modelled.actors);
  requireDeclared(protocolName, parts, actors, options);
  for (const part of parts)
    requireExamples(part.id, part.modelled.machine, commandsOf(part), part.modelled.actors, {
      ...options,
      ...(isAsked(part) ? {} : { input: inputOf(part, sent) }),
    });
  const said = parts.length > ids.length ? parts.flatMap(saidBy) : [];
  const role = ({ id, member, machine, input }: Part) => {
    const inside = [...sent, ...said].filter(
      ({ from, to }) => [id, ''].includes(to) && from !== id && sameFamily(from, id),
    );
    const ignored = new Set([...inside.map(({ message }) => message.type), ...ofActors(member)]);
    return [id, { machine: ignoring(machine, ignored), input: () => input }] as const;
  };
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
    roles: Object.fromEntries(parts.map(role)),
    roleOf: (id) => id,
    messages: shapesOf([...sent, ...said]),
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

/** The nodes: the machines with those that they invoke, and who is in one process. */
function partsOf(machines: Readonly<Record<NodeId, AnyStateMachine>>, options: SystemOptions) {
  const ids = Object.keys(machines);
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
      input: options.inputs?.[member.self] ?? null,
    };
  });
  return { families, sameFamily, parts };
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
      `that what ${names} send each other is taken before any other event, where several have sent in any order, and comes from them only, unless there are examples of it; and that they see each other by events only`,
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
 * The messages that the first look has seen, and the types that are commands: all that some machine
 * takes to which no other one sends it, or whose actors may send it, those with examples, and what
 * is sent only when it comes from outside, since it is forwarded.
 */
function messagesBetween(
  parts: readonly Part[],
  { examples = {} }: SystemOptions,
): {
  readonly sent: readonly InFlight[];
  readonly commands: ReadonlySet<string>;
} {
  const all = parts.flatMap(({ id, events }) => Object.keys(events).map((type) => [id, type]));
  /** Those in which actors of the environment run, which may send what they like. */
  const open = parts.flatMap(({ id, modelled }) => (modelled.actors.length > 0 ? [id] : []));
  const without = (sent: readonly InFlight[]) =>
    new Set(
      all.flatMap(([id, type = '']) =>
        Object.hasOwn(examples, type) ||
        open.includes(String(id)) ||
        !sent.some(({ to, message }) => to === id && message.type === type)
          ? [type]
          : [],
      ),
    );
  const every = new Set(all.map(([, type = '']) => type));
  const commands = without(sentBetween(parts, without(sentBetween(parts, every))));
  return { sent: sentBetween(parts, commands), commands };
}

/** The ends of what a machine invokes, and the stop of the machine itself. */
const ofActors = ({ parent, children }: Member): readonly string[] => [
  ...(parent ? [stopOf(parent.actor)] : []),
  ...[...(children?.keys() ?? [])].map(doneOf),
];

const withField = (type: string, field: string): Message => ({ type, ...{ [field]: null } });

/** What a machine sends, as far as it says so before it runs; `to` is empty where that is open. */
const saidBy = ({ id, member }: Part): readonly InFlight[] => [
  ...(member.parent && member.machine.config.output !== undefined
    ? [{ from: id, to: '', message: withField(doneOf(member.parent.actor), 'output') }]
    : []),
  ...[...(member.children ?? [])].flatMap(([actor, to]) =>
    hasInput(member.machine, actor)
      ? [{ from: id, to, message: withField(startOf(actor), 'input') }]
      : [],
  ),
  ...actionsIn(member.machine).flatMap((action) => {
    const { type, event } = Object(action) as { type?: unknown; event?: Message }; // XState's shape
    const isSaid = type === 'xstate.sendTo' && typeof event === 'object';
    return isSaid ? [{ from: id, to: '', message: event }] : [];
  }),
];

/** What the machines send each other, where only these types come from outside. */
function sentBetween(parts: readonly Part[], commands: ReadonlySet<string>): readonly InFlight[] {
  const seen = new Map<string, InFlight>();
  for (let round = 0, before = -1; round < mostRounds && before < seen.size; round++) {
    before = seen.size;
    for (const { id, machine, input, events } of parts) {
      const timers = stateNodes(machine).flatMap(({ after }) =>
        after.map(({ eventType }) => eventType),
      );
      const given = [
        ...timers.map((type) => ({ type })),
        ...Object.entries(events).flatMap(([type, { examples = [{}] }]) =>
          commands.has(type) ? examples.map((one) => ({ type, ...one })) : [],
        ),
      ];
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
  const messages = sent.map(({ message: { type, ...fields } }) => ({ type, fields }));
  const ofType = (type: string) =>
    messages.flatMap((message) => (message.type === type ? [message.fields] : []));
  return Object.fromEntries(
    messages.map(({ type }) => [type, shapeOf('between the machines', ofType(type))]),
  );
}
