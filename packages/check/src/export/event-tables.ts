/**
 * The events of a system after a complete search. An event is an action of one node (a command, a
 * delivery, a crash), with a row for each local state in which the explorer has seen it. A model
 * needs more than was seen: deliveries that never happen, and each crash in the middle of a step as
 * an event of its own.
 */
import { everyMessageHandled, partialSends, violatedBy } from '@conclave/core/internal';
import type { Command, LocalState } from '@conclave/core/protocol';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import type { DataInterner } from '../search/tables/interner.js';
import { sameData } from '../worlds/canonical.js';
import { actionText } from '../worlds/run-lines.js';
import { type Action, isStep, type StepAction, type World } from '../worlds/world.js';
import type { ChannelTable, EventTable, NodeTable, RowEntry, SendEntry } from './system-tables.js';

/** What the events of a system are numbered by, while its tables are built. */
export interface Numbering {
  readonly compiled: CompiledWorlds;
  readonly nodes: readonly NodeTable[];
  /** By node, and number of a local state in the explorer: its number in the table. */
  readonly states: readonly (readonly number[])[];
  readonly choices: DataInterner<World['choosing']>;
  /** By node: the local states in which it may crash; undefined: in all. */
  readonly mayCrash: readonly (ReadonlySet<number> | undefined)[];
  /** By node: what others are told of its crash. */
  readonly notices: readonly (readonly SendEntry[])[];
}

/** The events that the explorer has seen. */
export function observedEvents(numbering: Numbering): readonly EventTable[] {
  const { compiled, states } = numbering;
  const { length: nodeCount } = compiled.worlds.topology.nodes;
  const events = new Map<number, Observations>();
  for (const { id, index, number, action, outcome } of compiled.distinctSteps()) {
    if (!isOfNode(action)) continue; // a message to a node that is down
    const key = compiled.actionNumber(action);
    const event = events.get(key) ?? noObservations(index);
    events.set(key, event);
    const renumbered = states[index] ?? [];
    const state = renumbered[number];
    const after = renumbered[outcome.state];
    if (state === undefined) continue; // a state that no world has
    if (outcome.error) {
      event.failing.add(state);
      const violated = violatedBy(outcome.error, compiled.worlds.budget.unexpected);
      if (violated === everyMessageHandled) event.unhandled.add(state);
    } else if (after !== undefined)
      event.rows.push({
        ...{ state, after, sends: sendsOf(outcome.sends, nodeCount) },
        asks: outcome.choices.map((choice) => ({ node: id, ...choice })),
      });
  }
  return [...events].flatMap(([key, event]) => {
    const action = compiled.actionOf(key);
    const rows = event.rows.toSorted((a, b) => a.state - b.state);
    return isOfNode(action) ? [eventOf(numbering, action, { ...event, rows })] : [];
  });
}

/** What the explorer has seen of an event, by local state of its node. */
interface Observations {
  readonly node: number;
  readonly rows: RowEntry[];
  readonly failing: Set<number>;
  readonly unhandled: Set<number>;
}

const noObservations = (node: number): Observations => ({
  node,
  rows: [],
  failing: new Set(),
  unhandled: new Set(),
});

const isOfNode = (action: Action): action is EventTable['action'] =>
  isStep(action) || action.type === 'crash';

/** From pairs of a slot and a message; the slots of channels follow those of the nodes. */
const sendsOf = (flat: readonly number[], nodeCount: number): readonly SendEntry[] =>
  flat.flatMap((slot, index) =>
    index % 2 === 0 ? [{ channel: slot - nodeCount, message: flat[index + 1] as number }] : [],
  );

/** An event with what makes it possible. */
function eventOf(
  numbering: Numbering,
  action: EventTable['action'],
  observed: Observations,
): EventTable {
  const { compiled } = numbering;
  const number = compiled.actionNumber(action);
  const { type } = action;
  const common = {
    ...observed,
    action,
    type,
    label: actionText(compiled.worlds.protocol, action),
    fair: compiled.fairness(number),
    isOptional: compiled.isOptional(number),
  };
  switch (action.type) {
    case 'command':
      return { ...common, ...commandPart(numbering, observed, action.command) };
    case 'deliver': {
      const channel = compiled.worlds.topology.links.findIndex(
        ({ from, to }) => from === action.from && to === action.to,
      );
      return { ...common, sent: { channel, message: compiled.parcels.id(action.message) } };
    }
    case 'timeout': {
      const isArmed = ({ timers }: LocalState) => timers.some(({ id }) => id === action.timer);
      return { ...common, enabled: statesWhere(numbering, observed, isArmed) };
    }
    case 'choose':
      return { ...common, answers: answersTo(numbering, action) };
    case 'crash': {
      const enabled = numbering.mayCrash[observed.node];
      return { ...common, ...(enabled && { enabled }) };
    }
    case 'restart':
      return common;
  }
}

/** When a command is possible: in which states, and by which counter or condition. */
function commandPart(
  numbering: Numbering,
  observed: Observations,
  command: Command,
): Pick<EventTable, 'enabled' | 'counter' | 'condition'> {
  const { compiled, nodes } = numbering;
  const { commands, topology } = compiled.worlds;
  const local = compiled.worlds.node(topology.nodes[observed.node] as string);
  const all = { commands: commands.initially(1), fulfilled: [] };
  const enabled = statesWhere(numbering, observed, (state) =>
    commands.possible(local, state, all).some((other) => sameData(other, command)),
  );
  const position = commands.optional.findIndex((other) => sameData(other, command));
  const { conditions = [] } = nodes[observed.node] ?? {};
  const condition = conditions.findIndex(({ type }) => type === command.type);
  return {
    enabled,
    ...(position >= 0 && !commands.isUnlimited && { counter: commands.counts[position] ?? 0 }),
    ...(position < 0 && condition >= 0 && { condition }),
  };
}

/**
 * The local states of the node, by their numbers in the table, where this holds and no step fails.
 */
function statesWhere(
  { compiled, states }: Numbering,
  { node, failing }: Observations,
  holds: (state: LocalState) => boolean,
): ReadonlySet<number> {
  const found = (states[node] ?? []).flatMap((number, old) =>
    holds(compiled.localState(node, old)) && !failing.has(number) ? [number] : [],
  );
  return new Set(found);
}

/** The lists of open choices of which this is an answer to the first. */
function answersTo(
  { choices }: Numbering,
  { node, value }: Extract<StepAction, { readonly type: 'choose' }>,
): NonNullable<EventTable['answers']> {
  return choices.items.flatMap(([first, ...rest], list) =>
    first?.node === node && first.options.some((option) => sameData(option, value))
      ? [{ list, rest: choices.id(rest) }]
      : [],
  );
}

/** The deliveries that never happen, such as to a node that is always down then. */
export function undelivered(
  numbering: Numbering,
  channels: readonly ChannelTable[],
  events: readonly EventTable[],
): readonly EventTable[] {
  const { parcels, worlds } = numbering.compiled;
  const known = new Set(events.map(({ sent }) => sent && `${sent.channel} ${sent.message}`));
  return channels.flatMap(({ to, messages }, channel) =>
    messages
      .filter((message) => !known.has(`${channel} ${message}`))
      .flatMap((number) => {
        const link = worlds.topology.links[channel];
        const message = parcels.message(number);
        return link
          ? [eventOf(numbering, { type: 'deliver', ...link, message }, noObservations(to))]
          : [];
      }),
  );
}

/**
 * The crashes in the middle of a step. A node stores its new state before it sends, so such a crash
 * loses a part of what the step sends, and nothing else. Each step gets an event for each part:
 *
 *     a takes req: a → b ack, a → c done
 *     a crashes in it, ack is lost | done is lost | both are lost
 *
 * With nothing lost it is a crash after the step, an event of its own; unless the node has a choice
 * to make, before which it cannot crash otherwise.
 */
export const crashesInside = (
  numbering: Numbering,
  events: readonly EventTable[],
): readonly EventTable[] =>
  events.flatMap((event) => {
    const { action, answers } = event;
    if (!isStep(action)) return [];
    if (action.type !== 'choose') return crashEvents(numbering, event, action, false);
    // an answer may leave the node another choice to make, or not: two events with crashes
    const id = numbering.nodes[event.node]?.id;
    return [true, false].flatMap((isChoosing) => {
      const some = answers?.filter(
        ({ rest }) => numbering.choices.item(rest).some(({ node }) => node === id) === isChoosing,
      );
      return some && some.length > 0
        ? crashEvents(numbering, { ...event, answers: some }, action, isChoosing)
        : [];
    });
  });

/** The crashes in a step, one event for each part of its sends that is lost in some row. */
function crashEvents(
  numbering: Numbering,
  event: EventTable,
  during: StepAction,
  isChoosing: boolean,
): readonly EventTable[] {
  const { compiled, nodes, choices } = numbering;
  const byLost = new Map<string, { readonly lost: readonly number[]; readonly rows: RowEntry[] }>();
  for (const before of event.rows)
    for (const { lost, row } of crashRows(numbering, event.node, before, isChoosing)) {
      const known = byLost.get(lost.join()) ?? { lost, rows: [] };
      known.rows.push(row);
      byLost.set(lost.join(), known);
    }
  const id = nodes[event.node]?.id ?? '';
  const withoutNode = (list: number) =>
    choices.id(choices.item(list).filter(({ node }) => node !== id));
  const answers = event.answers?.map(({ list, rest }) => ({ list, rest: withoutNode(rest) }));
  return [...byLost.values()].map(({ lost, rows }) => ({
    ...event,
    ...(answers && { answers }),
    label: actionText(compiled.worlds.protocol, { type: 'crash', node: id, during, lost }),
    fair: -1,
    isOptional: false,
    crashes: true,
    rows,
    enabled: new Set(rows.map(({ state }) => state)),
  }));
}

/** A row of a step with the node down after it, for each part of its sends that may be lost. */
function* crashRows(
  { compiled, mayCrash, notices }: Numbering,
  node: number,
  row: RowEntry,
  isChoosing: boolean,
): Generator<{ readonly lost: readonly number[]; readonly row: RowEntry }> {
  if (mayCrash[node]?.has(row.after) === false) return;
  const channels = row.sends.map(({ channel, message }) =>
    compiled.worlds.order === 'fifo' ? channel : `${channel} ${message}`,
  );
  const isAfterStep = !isChoosing && row.asks.length === 0;
  for (const lost of partialSends(channels)) {
    if (isAfterStep && lost.length === 0) continue;
    const left = row.sends.filter((_, position) => !lost.includes(position));
    yield { lost, row: { ...row, asks: [], sends: [...left, ...(notices[node] ?? [])] } };
  }
}
