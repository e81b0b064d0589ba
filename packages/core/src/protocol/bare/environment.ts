/**
 * What a bare machine can meet: its events and the ends of what it invokes, as commands of the
 * application, and what a verdict about it takes for granted.
 */
import type { AnyStateMachine } from 'xstate';
import { ConclaveError } from '../../base/error.js';
import type { Json } from '../node.js';
import type { Property } from '../property.js';
import type { CommandShape, Protocol, Shape } from '../protocol.js';
import { stateNodes } from '../regions.js';
import {
  actionsIn,
  actorsField,
  doneOf,
  errorOf,
  type InvokedActor,
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
/** With assumptions that grow while the machines take steps: `enqueueActions` names effects then. */
export const assuming = (protocol: Protocol, assumes: () => readonly string[]): Protocol =>
  Object.defineProperty({ ...protocol }, 'assumes', { get: assumes, enumerable: true });
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

/** What events of one type carry; a field that one of them lacks is optional. */
export function shapeOf(meaning: string, events: readonly object[]): Shape {
  const fields = [...new Set(events.flatMap((event) => Object.keys(event)))];
  const optionalFields = fields.filter((field) => !events.every((event) => field in event));
  return {
    meaning,
    ...(fields.length > 0 && { fields }),
    ...(optionalFields.length > 0 && { optionalFields }),
  };
}

function commandOf(
  meaning: string,
  examples: CommandShape['examples'] | undefined,
  when?: CommandShape['when'],
): CommandShape {
  return {
    kind: 'optional',
    ...shapeOf(meaning, examples ?? []),
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
export const raisedBy = (machine: AnyStateMachine): ReadonlySet<string> =>
  new Set(
    actionsIn(machine).flatMap((action) => {
      const { type, event } = Object(action) as { type?: unknown; event?: unknown }; // XState's shape
      const isRaise = type === 'xstate.raise' && typeof event === 'object';
      return isRaise ? [String(Object(event).type)] : [];
    }),
  );

export const refusal = (name: string, what: string, cure: string): ConclaveError =>
  new ConclaveError('bad-protocol', `Machine '${name}': ${what}`, cure);

/** Names in a sentence. */
export const quoted = (names: Iterable<string>): string => [...names].join(', ');
export const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];
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
      (name) => `that the machine ${name}, which is invoked, may send and end as it likes`,
    ),
  ];
}
