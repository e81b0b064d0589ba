/**
 * A bare machine as a protocol of one node: its events are commands of the application, and what it
 * invokes is the environment.
 *
 * Nothing is asked that can be seen. Which events there are, its states show. Which fields an event
 * has, no machine says: so each event is sent without fields to all that can be reached by a first
 * look, and where a guard or an assignment reads one, the user is asked for `examples`, by name. The
 * same for the output of an actor. What was declared beside the machine is taken as it is.
 */
import {
  type AnyStateMachine,
  createMachine,
  getInitialSnapshot,
  initialTransition,
  transition,
} from 'xstate';
import { ConclaveError } from '../../base/error.js';
import { complete } from '../../topology/generators.js';
import type { TopologyNeed } from '../../topology/needs.js';
import { misfitOf } from '../check-machine.js';
import { defineProtocol } from '../define-protocol.js';
import { matches } from '../handles.js';
import type { Command, Json } from '../node.js';
import type { Property } from '../property.js';
import type { CommandShape, Protocol } from '../protocol.js';
import { stateNodes } from '../regions.js';
import {
  actorsField,
  doneOf,
  errorOf,
  type InvokedActor,
  isMachine,
  modelled,
  snapshotOf,
} from './modelled.js';

/** What stands beside a machine, and what no machine says of itself. */
export interface Beside {
  /** By event: the values of its fields. `{ set: [{ value: 1 }, { value: 2 }] }` */
  readonly examples?: Readonly<Record<string, readonly Readonly<Record<string, Json>>[]>>;
  /**
   * By actor that it invokes, called by the name of its logic: how it may end. An error is plain
   * data, or an `Error`, of which the machine sees name and message. Default: without an output.
   */
  readonly actors?: Readonly<
    Record<
      string,
      {
        readonly output?: readonly Json[];
        readonly error?: readonly unknown[];
        readonly snapshot?: readonly Json[];
      }
    >
  >;
  /** The input of the machine. Default: none. */
  readonly input?: Json;
  readonly properties?: readonly Property[];
}

const oneNode: TopologyNeed = {
  name: 'one-node',
  refuses: ({ nodes }) => (nodes.length === 1 ? undefined : `there are ${nodes.length} nodes`),
  example: () => complete(1),
  overlay: () => complete(1),
};

/**
 * `machine` as a protocol of one node.
 *
 * `name`: of the protocol; default: the id of the machine. `asks`: whether fields without an example
 * are asked for; where the machine is only drawn, they need not be.
 *
 * @throws {ConclaveError} `bad-protocol`: an event or an output is read whose fields have no example,
 * an example of what there is not, or what {@link defineProtocol} refuses.
 */
export function machineProtocol(
  machine: AnyStateMachine,
  beside: Beside = {},
  { name = machine.id, asks = true }: { readonly name?: string; readonly asks?: boolean } = {},
): Protocol {
  const misfit = misfitOf(machine);
  if (misfit) throw refusal(name ?? 'machine', misfit.what, misfit.cure);
  const { machine: made, actors, effects } = modelled(machine);
  const protocolName = kebabCase(name);
  const commands = { ...eventsOf(made, beside), ...endsOf(actors, beside) };
  requireKnown(protocolName, [made], commands, actors, beside);
  if (asks) requireExamples(protocolName, made, commands, actors, beside);
  const isDrawn = !asks; // it need not start: nobody has said its input, nor what it cannot be
  const protocol = defineProtocol({
    name: protocolName,
    title: name,
    problem: 'own',
    citation: 'none',
    topology: oneNode,
    channels: { order: 'fifo', loss: false, duplication: false },
    roles: {
      node: { machine: isDrawn ? createMachine({}) : made, input: () => beside.input ?? null },
    },
    messages: {},
    commands: isDrawn ? {} : commands,
    waiting: false,
    properties: beside.properties ?? [],
    drawn: { node: machine },
  });
  const ofInput =
    beside.input === undefined && inputRead(made).isRead
      ? ['that it gets no input: export const input = { … } gives it one']
      : [];
  return assuming(protocol, () => [...assumedOf(actors, effects, beside), ...ofInput]);
}

/** With assumptions that grow while the machines take steps: `enqueueActions` names effects then. */
export const assuming = (protocol: Protocol, assumes: () => readonly string[]): Protocol =>
  Object.defineProperty({ ...protocol }, 'assumes', { get: assumes, enumerable: true });

/**
 * The export `name` of a module: a machine as a protocol, with what the module says beside it;
 * anything else as it is. `file`: the name of a machine without a name.
 */
export function exportIn(
  exported: Readonly<Record<string, unknown>>,
  name: string,
  { file, asks = true }: { readonly file: string; readonly asks?: boolean },
): unknown {
  const machine = exported[name];
  if (!isMachine(machine)) return machine;
  const beside = Object.fromEntries(
    ['examples', 'actors', 'input', 'properties'].flatMap((part) =>
      exported[part] === undefined ? [] : [[part, exported[part]]],
    ),
  );
  const own = machine.id === '(machine)' ? (name === 'default' ? file : name) : machine.id;
  return machineProtocol(machine, beside, { name: own, asks });
}

/** A name as protocols have it. */
export function kebabCase(name: string): string {
  const words = name.replace(/[^A-Za-z0-9]+/g, '-').replace(/([a-z0-9])([A-Z])/g, '$1-$2');
  return words.toLowerCase().replace(/^-+|-+$/g, '') || 'machine';
}

export const isOwn = (type: string): boolean => !type.startsWith('xstate.') && type !== '';

/** What its states list, but for what only the machine raises; for `*` and `job.*` one event more. */
export function eventsOf(machine: AnyStateMachine, { examples = {} }: Beside): Commands {
  const listed = new Set(
    stateNodes(machine).flatMap(({ transitions }) => [...transitions.keys()].filter(isOwn)),
  );
  const raised = raisedBy(machine);
  const types = [...listed, ...Object.keys(examples)].map((type) =>
    type === '*' ? 'other' : type.replace(/\*$/, 'other'),
  );
  return Object.fromEntries(
    [...new Set(types)]
      .filter((type) => !raised.has(type) || Object.hasOwn(examples, type))
      .map((type) => [type, commandOf('an event of the machine', examples[type])]),
  );
}

export type Commands = Readonly<Record<string, CommandShape>>;

function commandOf(
  meaning: string,
  examples: CommandShape['examples'] | undefined,
  when?: CommandShape['when'],
): CommandShape {
  const names = [...new Set((examples ?? []).flatMap((one) => Object.keys(one)))];
  const isUniform = (examples ?? []).every((one) => Object.keys(one).length === names.length);
  return {
    kind: 'optional',
    meaning,
    ...(isUniform && names.length > 0 ? { fields: names } : {}),
    ...(examples ? { examples } : {}),
    ...(when ? { when } : {}),
  };
}

/** How the actors that run may end. */
export function endsOf(
  actors: readonly InvokedActor[],
  { actors: declared = {} }: Beside,
): Commands {
  return Object.fromEntries(
    actors.flatMap(({ id, name, takes }) => {
      const { output, error, snapshot } = declared[name] ?? {};
      const isRunning: CommandShape['when'] = ({ context }) =>
        Object(context[actorsField])[id] === true;
      const events: (readonly [string, CommandShape])[] = [];
      if (takes.done || output)
        events.push([doneOf(id), endOf(`${name} ends`, 'output', output, isRunning)]);
      if (takes.error || error)
        events.push([
          errorOf(id),
          endOf(
            `${name} fails`,
            'error',
            (error ?? [{ name: 'Error', message: '' }]).map(plainError),
            isRunning,
          ),
        ]);
      if (takes.snapshot)
        events.push([
          snapshotOf(id),
          endOf(`${name} tells its snapshot`, 'snapshot', snapshot, isRunning),
        ]);
      return events;
    }),
  );
}

const endOf = (
  meaning: string,
  field: string,
  values: readonly Json[] | undefined,
  when: CommandShape['when'],
): CommandShape => commandOf(meaning, values?.map((value) => ({ [field]: value })) ?? [{}], when);

const plainError = (error: unknown): Json =>
  error instanceof Error ? { name: error.name, message: error.message } : (error as Json); // checked with the examples

/** The types that the machine raises to itself, as far as it says them before it runs. */
export function raisedBy(machine: AnyStateMachine): ReadonlySet<string> {
  const typesIn = (action: unknown): readonly string[] => {
    const { type, event } = Object(action) as { type?: unknown; event?: unknown }; // XState's shape
    return type === 'xstate.raise' && typeof event === 'object' ? [String(Object(event).type)] : [];
  };
  return new Set(
    [
      ...Object.values(machine.implementations.actions),
      ...stateNodes(machine).flatMap(({ entry, exit, transitions, always }) => [
        ...entry,
        ...exit,
        ...[...transitions.values()].flat().flatMap(({ actions }) => actions),
        ...(always ?? []).flatMap(({ actions }) => actions),
      ]),
    ].flatMap(typesIn),
  );
}

export const refusal = (name: string, what: string, cure: string): ConclaveError =>
  new ConclaveError('bad-protocol', `Machine '${name}': ${what}`, cure);

const quoted = (names: Iterable<string>): string => [...names].join(', ');
const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];

/** @throws {ConclaveError} for an example of an event that no state lists, or of an actor that there is not. */
export function requireKnown(
  name: string,
  machines: readonly AnyStateMachine[],
  commands: Commands,
  actors: readonly InvokedActor[],
  { examples = {}, actors: declared = {} }: Beside,
): void {
  const listed = machines.flatMap(stateNodes).flatMap(({ transitions }) => [...transitions.keys()]);
  for (const type of Object.keys(examples))
    if (!listed.some((descriptor) => matches(descriptor, type)))
      throw refusal(
        name,
        `there are examples of '${type}', which no state takes`,
        `Its events: ${quoted(Object.keys(commands).filter(isOwn)) || 'none'}.`,
      );
  const names = new Set(actors.map(({ name: known }) => known));
  for (const actor of Object.keys(declared))
    if (!names.has(actor))
      throw refusal(
        name,
        `it is said how '${actor}' ends, which no state invokes`,
        `It invokes ${quoted(names) || 'nothing'}.`,
      );
}

/** What `run` returns; what fails is for the search to say. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch {
    return undefined;
  }
}

/** How many states the first look goes through. */
const mostLooked = 500;

/**
 * Looks which fields of events are read that have no example, and of the input where there is none.
 * @throws {ConclaveError} that asks for all of them at once.
 */
export function requireExamples(
  name: string,
  machine: AnyStateMachine,
  commands: Commands,
  actors: readonly InvokedActor[],
  beside: Beside,
): void {
  const read = new Map<string, Set<string>>();
  const spied = (type: string) => spy({ type }, (key) => put(read, type, key));
  const events = Object.entries(commands).flatMap(([type, { examples }]) =>
    examples?.some((one) => Object.keys(one).length > 0) ||
    Object.hasOwn(beside.examples ?? {}, type)
      ? (examples ?? []).map((one) => ({ type, ...one }))
      : [spied(type)],
  );
  const timers = stateNodes(machine).flatMap(({ transitions }) =>
    [...transitions.keys()].filter((type) => type.startsWith('xstate.after.')),
  );
  const inputs = beside.input === undefined ? inputRead(machine).needed : [];
  look(machine, beside.input, [...events, ...timers.map((type) => ({ type }))]);
  if (read.size === 0 && inputs.length === 0) return;
  glance(machine, beside.input, new Map(events.map((event) => [event.type, event])));
  const asked = [...read].map(([type, fields]) => {
    const actor = actors.find(({ id }) => [doneOf(id), snapshotOf(id)].includes(type));
    return actor ? `the ${quoted(fields)} of ${actor.name}` : `${quoted(fields)} of ${type}`;
  });
  const own = [...read].filter(([type]) => isOwn(type));
  const list = (fields: Iterable<string>) =>
    [...fields].map((field) => `${keyText(field)}: …`).join(', ');
  const parts = {
    input: inputs.length > 0 ? [list(inputs)] : [],
    examples: own.map(([type, fields]) => `${keyText(type)}: [{ ${list(fields)} }]`),
    actors: unique(actors.map(({ name: actor }) => actor)).flatMap((actor) => {
      const isRead = (eventOf: (id: string) => string) =>
        actors.some(({ id, name: known }) => known === actor && read.has(eventOf(id)));
      const ends = [
        ...(isRead(doneOf) ? ['output: […]'] : []),
        ...(isRead(snapshotOf) ? ['snapshot: […]'] : []),
      ];
      return ends.length > 0 ? [`${keyText(actor)}: { ${ends.join(', ')} }`] : [];
    }),
  };
  const declarations = Object.entries(parts).flatMap(([part, texts]) =>
    texts.length > 0 ? [`export const ${part} = { ${texts.join(', ')} }`] : [],
  );
  const ofInput = inputs.length > 0 ? [`${quoted(inputs)} of its input`] : [];
  throw refusal(
    name,
    `it reads ${[...ofInput, ...unique(asked)].join('; ')}, and what they can be is not said`,
    `Say it beside the machine: ${declarations.join('; ')}.`,
  );
}

/** A record that tells which absent fields are read. */
const spy = <T extends object>(record: T, noted: (key: string) => void): T =>
  new Proxy(record, {
    get: (own, key) => {
      if (typeof key === 'string' && !Object.hasOwn(own, key) && key !== 'toJSON') noted(key);
      return Reflect.get(own, key);
    },
  });

const put = (lists: Map<string, Set<string>>, key: string, value: string) =>
  lists.set(key, (lists.get(key) ?? new Set()).add(value));

/** Whether the first context depends on the input, and the fields without which there is none. */
function inputRead(machine: AnyStateMachine): {
  readonly isRead: boolean;
  readonly needed: readonly string[];
} {
  const begins = (input: unknown) => attempt(() => getInitialSnapshot(machine, input as never)); // any
  const read = new Set<string>();
  let isSpread = false;
  const input = spy({}, (key) => read.add(key));
  begins(
    new Proxy(input, {
      ownKeys: () => {
        isSpread = true;
        return [];
      },
    }),
  );
  const needed = begins(null)?.status === 'error' ? [...read] : [];
  return { isRead: isSpread || read.size > 0, needed };
}

type Called = (...args: readonly unknown[]) => unknown;

/** In place of a context that nobody can make yet: has each field, and may be called. */
const anything: unknown = new Proxy(() => anything, {
  get: (_, key) =>
    key === Symbol.iterator ? () => [].values() : key === Symbol.toPrimitive ? () => '' : anything,
});

/**
 * Calls each guard and assignment once in the first state, for the fields that they read: behind a
 * guard that no event without fields passes, the first look finds none, nor where the machine does
 * not start without its input. What fails is no matter.
 */
function glance(
  machine: AnyStateMachine,
  input: unknown,
  events: ReadonlyMap<string, Command>,
): void {
  const { guards, actions } = machine.implementations;
  const first = attempt(() => getInitialSnapshot(machine, input as never)); // any
  const context = first?.status === 'error' ? anything : first?.context;
  for (const node of stateNodes(machine))
    for (const [descriptor, transitions] of node.transitions) {
      const event = events.get(descriptor);
      if (!event) continue;
      const call = (part: unknown, ...params: readonly unknown[]): unknown =>
        typeof part === 'function'
          ? attempt(() => (part as Called)({ context, event }, ...params))
          : part;
      const parts = (made: unknown): readonly unknown[] => {
        const { assignment, guards: combined = [] } = Object(made);
        if (typeof made === 'function' && !('resolve' in made) && !('check' in made)) return [made];
        return [
          ...(typeof assignment === 'function' ? [assignment] : Object.values(Object(assignment))),
          ...combined.flatMap((one: unknown) => parts(named(one, guards))),
        ];
      };
      for (const { guard, actions: taken } of transitions)
        for (const [part, known] of [
          [guard, guards] as const,
          ...taken.map((action) => [action, actions] as const),
        ]) {
          const params = call(Object(part).params);
          for (const one of parts(named(part, known))) call(one, params);
        }
    }
}

/** A guard or an action, or the one that it names. */
const named = (part: unknown, known: object): unknown =>
  typeof part === 'function'
    ? part
    : Object(known)[typeof part === 'string' ? part : Object(part).type];

const keyText = (key: string): string => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : `'${key}'`);

/**
 * Goes through the first states; what fails is for the search to say. Returns what the machine emits
 * there.
 */
export function look(
  machine: AnyStateMachine,
  input: unknown,
  events: readonly Command[],
): readonly unknown[] {
  const emitted: unknown[] = [];
  const note = ([snapshot, actions]: ReturnType<typeof transition>) => {
    for (const { type, params } of actions)
      if (type === 'xstate.emit') emitted.push(Object(params).event);
    return snapshot;
  };
  const seen = new Set<string>();
  const first = attempt(() => note(initialTransition(machine, input)));
  const found = first ? [first] : [];
  for (const snapshot of found) // grows
    for (const event of events) {
      const next = attempt(() => note(transition(machine, snapshot, event)));
      if (!next || found.length >= mostLooked) continue;
      const key = JSON.stringify([next.value, next.context]);
      if (seen.has(key)) continue;
      seen.add(key);
      found.push(next);
    }
  return emitted;
}

/** What a verdict about the machine rests on. */
export function assumedOf(
  actors: readonly InvokedActor[],
  effects: ReadonlySet<string>,
  { actors: declared = {} }: Beside,
): readonly string[] {
  const some = (what: string, names: readonly string[], one: string, several: string) =>
    names.length === 0
      ? []
      : [
          names.length === 1
            ? `that the ${what} ${names} ${one}`
            : `that the ${what}s ${quoted(names)} ${several}`,
        ];
  const namesOf = (list: readonly InvokedActor[]) => unique(list.map(({ name }) => name));
  return [
    ...some(
      'effect',
      [...effects].sort(),
      'changes nothing that the machine reads',
      'change nothing that the machine reads',
    ),
    ...some(
      'actor',
      namesOf(actors),
      'may end at any moment while it runs',
      'may end at any moment while they run',
    ),
    ...some(
      'actor',
      namesOf(actors.filter(({ name, takes }) => !takes.error && !declared[name]?.error)),
      'never fails: no state takes its error',
      'never fail: no state takes their errors',
    ),
    ...namesOf(actors.filter((actor) => actor.isMachine)).map(
      (name) =>
        `that the machine ${name}, which is invoked, may send and end as it likes: make it a node of its own, by system({ … }), to check both`,
    ),
  ];
}
