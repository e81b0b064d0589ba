import {
  always,
  defineProtocol,
  everyStep,
  type Json,
  type NodeId,
  type NodeStep,
  type NodeView,
  type Property,
  type Protocol,
  type SystemView,
  sometimes,
} from '@conclave/core/protocol';
import * as needs from '@conclave/core/topology/needs';
import { validOptions } from '../../options.js';
import { lamportClock, type VectorClock, vectorClock } from '../clock.js';
import {
  type Command,
  logicalClockOptions,
  type Message,
  machineWith,
  type Options,
} from './logical-clock.js';

// What logical clocks promise: the clock condition (Lamport 1978), and for vector clocks its
// converse, too (Fidge 1988, Mattern 1989).

// Causal histories (Schwarz & Mattern 1994): for each event, the set of all events that happened
// before it. The judge of logical clocks.

/** An event of a node, such as `a 1`, with the reading of the clock after it. */
type StampedEvent = {
  readonly id: string;
  readonly ts: Json;
  /** The events that happened before it. */
  readonly past: readonly string[];
};

/**
 * The events of a node, the first one first. Each message carries the past of its receipt: the
 * event that sent it, and what happened before that.
 */
const causalHistory = {
  initial: (): readonly StampedEvent[] => [],
  after: (events: readonly StampedEvent[], { after, label }: NodeStep): readonly StampedEvent[] => {
    const past = new Set([...upToLast(events), ...(Array.isArray(label) ? label.map(String) : [])]);
    return [
      ...events,
      {
        id: `${after.id} ${events.length + 1}`,
        ts: after.context.clock as Json,
        past: [...past].sort(),
      },
    ]; // as the machine's own types say
  },
  label: upToLast,
};

/** The last event, and what happened before it. */
function upToLast(events: readonly StampedEvent[]): readonly string[] {
  const last = events.at(-1);
  return last ? [...last.past, last.id] : [];
}

// as causalHistory makes it
const eventsOfNode = ({ history }: NodeView) => (history ?? []) as readonly StampedEvent[];

/** All events so far. */
const eventsOf = ({ nodes }: Pick<SystemView, 'nodes'>): readonly StampedEvent[] =>
  nodes.flatMap(eventsOfNode);

/** The node of an event. */
const nodeOf = (id: string): string => id.slice(0, id.lastIndexOf(' '));

const scalarOf = ({ ts }: StampedEvent) => ts as number; // of a Lamport clock
const vectorOf = ({ ts }: StampedEvent) => ts as VectorClock; // of a vector clock
const happenedBefore = (one: StampedEvent, other: StampedEvent): boolean =>
  other.past.includes(one.id);
const isEarlier = (one: StampedEvent, other: StampedEvent): boolean =>
  lamportClock.isSmaller(scalarOf(one), scalarOf(other));
const isSmaller = (one: StampedEvent, other: StampedEvent): boolean =>
  vectorClock.isSmaller(vectorOf(one), vectorOf(other));

const everyTwo = (
  events: readonly StampedEvent[],
  holds: (one: StampedEvent, other: StampedEvent) => boolean,
): boolean => events.every((one) => events.every((other) => one === other || holds(one, other)));

const someTwo = (
  events: readonly StampedEvent[],
  holds: (one: StampedEvent, other: StampedEvent) => boolean,
): boolean => !everyTwo(events, (one, other) => !holds(one, other));

const concurrent = (one: StampedEvent, other: StampedEvent): boolean =>
  !happenedBefore(one, other) && !happenedBefore(other, one);

/** Of a Lamport clock. */
const clockCondition = (events: readonly StampedEvent[]): boolean =>
  everyTwo(events, (one, other) => !happenedBefore(one, other) || isEarlier(one, other));

/** Of a vector clock: the clock condition and its converse. */
const characterisesHappenedBefore = (events: readonly StampedEvent[]): boolean =>
  everyTwo(events, (one, other) => happenedBefore(one, other) === isSmaller(one, other));

/** A clock that does not jump: one more than the largest time stamp of the past. */
const isLongestChain = (events: readonly StampedEvent[]): boolean =>
  events.every(
    (event) =>
      scalarOf(event) ===
      1 + Math.max(0, ...events.filter((other) => happenedBefore(other, event)).map(scalarOf)),
  );

const countsPast = (events: readonly StampedEvent[]): boolean =>
  events.every((event) => {
    const counts = new Map<NodeId, number>();
    for (const id of [...event.past, event.id])
      counts.set(nodeOf(id), (counts.get(nodeOf(id)) ?? 0) + 1);
    const entries = Object.entries(vectorOf(event));
    return (
      entries.length === counts.size && entries.every(([id, count]) => count === counts.get(id))
    );
  });

const lamportLaws: readonly Property[] = [
  always('an event has a larger time stamp than each event that happened before it', (system) =>
    clockCondition(eventsOf(system)),
  ),
  always(
    'a time stamp is the length of the longest chain of events that ends with its event',
    (system) => isLongestChain(eventsOf(system)),
  ),
  sometimes('of two concurrent events, one has the smaller time stamp', (system) =>
    someTwo(eventsOf(system), (one, other) => concurrent(one, other) && isEarlier(one, other)),
  ),
];

const vectorLaws: readonly Property[] = [
  always(
    'an event has a larger time stamp than another one if, and only if, the other one happened before it',
    (system) => characterisesHappenedBefore(eventsOf(system)),
  ),
  always(
    'each entry of a time stamp counts the events of one node in the past of its event, with the event itself',
    (system) => countsPast(eventsOf(system)),
  ),
  sometimes('two events are concurrent', (system) => someTwo(eventsOf(system), concurrent)),
];

const textOf = (value: unknown): string => JSON.stringify(value);
const clockOf = ({ context }: NodeView): string => textOf(context.clock);

/** The rules, step by step. */
const steps: readonly Property[] = [
  everyStep(
    'exactly the send events send one message to each neighbour, with their own time stamps',
    ({ after, cause, sent }) => {
      const due =
        cause.kind === 'command' && cause.command.type === 'send'
          ? [after.context.neighbours].flat().map(String)
          : [];
      const carried = sent.every(
        ({ message }) => 'ts' in message && textOf(message.ts) === clockOf(after),
      );
      return carried && sent.map(({ to }) => to).join() === due.join();
    },
  ),
  everyStep(
    'a node tells its application the time stamp of each event',
    ({ after, notified }) =>
      notified.length === 1 &&
      notified.every(
        (told) => told.type === 'event' && 'ts' in told && textOf(told.ts) === clockOf(after),
      ),
  ),
];

export type { Command, Options };

const kinds = {
  lamport: { machine: machineWith(lamportClock), laws: lamportLaws, each: '' },
  vector: { machine: machineWith(vectorClock), laws: vectorLaws, each: '.*' },
} as const;

/**
 * C1: logical clocks.
 *
 * @throws {ConclaveError} `bad-input` for an unknown option, or a value that it does not take.
 * @example logicalClock({ clock: 'vector' })
 */
export function logicalClock(options: Options = {}): Protocol<Command> {
  const { clock = 'lamport' } = validOptions('logicalClock', logicalClockOptions, options);
  const kind = kinds[clock];
  return defineProtocol<Message, Command>({
    id: 'C1',
    name: 'logical-clock',
    title: 'Logical clocks',
    problem: 'logical-time',
    citation:
      'L. Lamport: Time, Clocks, and the Ordering of Events in a Distributed System. CACM 21:7, 1978, 558–565; F. Mattern: Virtual Time and Global States of Distributed Systems. Parallel and Distributed Algorithms, 1989, 215–226',
    options: { clock } satisfies Record<string, Json>,
    topology: needs.connected,
    channels: { order: 'any', loss: true, duplication: true },
    roles: {
      node: {
        machine: kind.machine,
        input: (self, topology) => ({ self, neighbours: topology.successors(self) }),
        stable: ['clock'],
        counters: [`clock${kind.each}`],
      },
    },
    messages: {
      message: {
        fields: ['ts'],
        counters: [`ts${kind.each}`],
        meaning: 'anything; `ts` is the time stamp of the event that sent it',
      },
    },
    commands: {
      send: { kind: 'optional', meaning: 'the node sends a message to each neighbour' },
      act: { kind: 'optional', meaning: 'an event at this node only' },
    },
    properties: [...kind.laws, ...steps],
    history: causalHistory,
    waiting: false,
  });
}
