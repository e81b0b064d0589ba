/**
 * What no machine says of itself: which fields its events have, and what its actors end with. A
 * first look sends each event without fields to all states that can be reached, and notes which
 * fields a guard or an assignment reads; those are asked for, by name.
 */
import { type AnyStateMachine, getInitialSnapshot, initialTransition, transition } from 'xstate';
import { matches } from '../handles.js';
import type { Command } from '../node.js';
import { stateNodes } from '../regions.js';
import { type Beside, type Commands, isOwn, quoted, refusal, unique } from './environment.js';
import { doneOf, type InvokedActor, snapshotOf } from './modelled.js';

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
export function inputRead(machine: AnyStateMachine): {
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
