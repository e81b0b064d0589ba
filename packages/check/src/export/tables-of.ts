/**
 * The tables of a system after a complete search: every local state, message and step that the
 * explorer has seen, renumbered in an order that makes sets of states ranges.
 */
import { everyMessageHandled, partialSends, unlabelled, violatedBy } from '@conclave/core/internal';
import { callText, valueText } from '@conclave/core/internal/trace';
import type { Command, Json, LocalState } from '@conclave/core/protocol';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { DataInterner } from '../search/tables/interner.js';
import { sameData } from '../worlds/canonical.js';
import { actionText } from '../worlds/run-lines.js';
import { type Action, isStep, type StepAction, type World } from '../worlds/world.js';
import type {
  ChannelTable,
  EventTable,
  NodeTable,
  RowEntry,
  SendEntry,
  SystemTables,
} from './system-tables.js';

/** What the explorer knows of a system after a complete search, as tables. */
export function tablesOf(compiled: CompiledWorlds): SystemTables {
  const { worlds, parcels, environments } = compiled;
  const { topology, initial, order } = worlds;
  const choices = new DataInterner<World['choosing']>();
  choices.id([]);
  for (const { choosing } of environments.items) choices.id(choosing);
  const sorted = topology.nodes.map((_, node) => sortedStates(compiled, node));
  const nodes = topology.nodes.map((_, node) => nodeTable(compiled, node, sorted[node] ?? []));
  const states = sorted.map((list) => {
    const byOld: number[] = [];
    for (const [number, { old }] of list.entries()) byOld[old] = number;
    return byOld;
  });
  const bare = { compiled, nodes, states, choices };
  const numbering: Numbering = {
    ...bare,
    mayCrash: sorted.map((list, node) => crashStates(compiled, node, list)),
    notices: topology.nodes.map((_, node) => noticesOf(compiled, node)),
  };
  const taken = eventsOf(numbering);
  const channels = channelsOf(compiled, taken, numbering.notices);
  const events = [...taken, ...undelivered(numbering, channels, taken)];
  const { losses, duplications, crashes, restarts } = initial.remaining;
  return {
    ...{ order, nodes, channels },
    messages: parcels.messages.items.map((message) =>
      callText(worlds.protocol.messages, unlabelled(message)),
    ),
    budget: { losses, duplications, crashes, restarts },
    events: worlds.crashesInside ? [...events, ...crashesInside(numbering, events)] : events,
    choices: choices.items,
    asked: choices.id(initial.choosing),
  };
}

function noticesOf(compiled: CompiledWorlds, node: number): readonly SendEntry[] {
  const { topology, initial } = compiled.worlds;
  const id = topology.nodes[node] as string; // a number of a node
  const state = initial.nodes[id];
  if (!state) return [];
  const { effects } = compiled.worlds.node(id).perform(state, { type: 'crash', node: id });
  return effects.flatMap((effect) =>
    effect.type === 'send'
      ? [
          {
            channel: topology.links.findIndex(({ from, to }) => from === id && to === effect.to),
            message: compiled.parcels.id(effect.message),
          },
        ]
      : [],
  );
}

function channelsOf(
  { worlds, contents, parcels }: CompiledWorlds,
  events: readonly EventTable[],
  notices: readonly (readonly SendEntry[])[],
): readonly ChannelTable[] {
  const { nodes, links } = worlds.topology;
  const sent = [
    ...events.flatMap(({ rows }) => rows.flatMap(({ sends }) => sends)),
    ...(worlds.initial.remaining.crashes > 0 ? notices.flat() : []),
  ];
  let capacity = 1;
  for (let content = 0; content < contents.size; content++)
    capacity = Math.max(capacity, contents.list(content).length);
  return links.map(({ from, to }, channel) => {
    const initial = (worlds.initial.channels[`${from}→${to}`] ?? []).map((message) =>
      parcels.id(message),
    );
    const here = sent.flatMap((send) => (send.channel === channel ? [send.message] : []));
    const messages = [...new Set([...initial, ...here])].sort((a, b) => a - b);
    return { from: nodes.indexOf(from), to: nodes.indexOf(to), messages, initial, capacity };
  });
}

/** The deliveries that never happen, such as to a node that is always down then. */
function undelivered(
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
          ? eventOf(
              numbering,
              { type: 'deliver', ...link, message },
              { node: to, ...nothingSeen() },
            )
          : [];
      }),
  );
}

/** A local state with its number in the explorer. */
interface SortedState {
  readonly old: number;
  readonly state: LocalState;
  readonly name: string;
}

/** The local states of a node, by the name of their state. */
function sortedStates({ configurations }: CompiledWorlds, node: number): readonly SortedState[] {
  const byState = new Map<number, LocalState>();
  const table = configurations[node];
  for (const [place, { state }] of (table?.items ?? []).entries())
    byState.set(table?.stateOf(place) ?? -1, state);
  return [...byState]
    .map(([old, state]) => ({ old, state, name: nameOf(state.value as Json) })) // plain data
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.old - b.old));
}

/** `client.wanted` */
function nameOf(value: Json): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return String(value);
  return Object.entries(value)
    .map(([key, inner]) => `${key}.${nameOf(inner)}`)
    .join('+');
}

function nodeTable(
  compiled: CompiledWorlds,
  node: number,
  sorted: readonly SortedState[],
): NodeTable {
  const { commands, initial, topology } = compiled.worlds;
  const id = topology.nodes[node] as string; // a number of a node
  const types = [...new Set(commands.obligatory.map(({ type }) => type))];
  const isDue = (type: string, state: LocalState) =>
    commands.after(id, state, { commands: [], fulfilled: [type] }).fulfilled.length > 0;
  const first = new Int32Array(compiled.width);
  compiled.initial(first);
  const start = compiled.configurations[node]?.stateOf(first[node] ?? 0);
  return {
    id,
    states: sorted.map(({ state, name }) => ({ name, detail: detailOf(state), state })),
    initial: sorted.findIndex(({ old }) => old === start),
    counters: (initial.remaining.commands[id] ?? []).map((count, index) => ({
      name: commands.optional[commands.counts.indexOf(index)]?.type ?? '',
      initial: count,
    })),
    conditions: types
      .map((type) => ({
        type,
        states: new Set(
          sorted.flatMap(({ state }, number) => (isDue(type, state) ? [number] : [])),
        ),
      }))
      .filter(({ states }) => states.size > 0),
  };
}

function detailOf({ context, timers, recorded, tags }: LocalState): string {
  const parts: Readonly<Record<string, unknown>> = {
    ...context,
    ...(timers.length > 0 && { timers: timers.map(({ id }) => id) }),
    ...(recorded !== undefined && { recorded }),
    ...(tags.length > 0 && { tags }),
  };
  return valueText(parts as Json); // a local state is plain data
}

/** Where a node may crash; undefined: everywhere. */
function crashStates(
  { worlds }: CompiledWorlds,
  node: number,
  sorted: readonly SortedState[],
): ReadonlySet<number> | undefined {
  const id = worlds.topology.nodes[node] as string; // a number of a node
  if (worlds.budget.mayCrash === undefined) return undefined;
  return new Set(
    sorted.flatMap(({ state }, number) => (worlds.mayCrash(id, state) ? [number] : [])),
  );
}

/** What the events of a system are numbered by, while its tables are built. */
interface Numbering {
  readonly compiled: CompiledWorlds;
  readonly nodes: readonly NodeTable[];
  /** By node: the new number of each local state. */
  readonly states: readonly (readonly number[])[];
  readonly choices: DataInterner<World['choosing']>;
  /** By node: the local states in which it may crash; undefined: in all. */
  readonly mayCrash: readonly (ReadonlySet<number> | undefined)[];
  /** By node: what others are told of its crash. */
  readonly notices: readonly (readonly SendEntry[])[];
}

/** The events that the explorer has seen. */
function eventsOf(numbering: Numbering): readonly EventTable[] {
  const { compiled, states } = numbering;
  const { length: nodeCount } = compiled.worlds.topology.nodes;
  const events = new Map<number, Collected>();
  for (const { id, index, number, action, outcome } of compiled.distinctSteps()) {
    if (!isOfNode(action)) continue; // a message to a node that is down
    const key = compiled.actionNumber(action);
    const event = events.get(key) ?? { ...nothingSeen(), node: index };
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
    return isOfNode(action) ? eventOf(numbering, action, { ...event, rows }) : [];
  });
}

interface Collected {
  readonly rows: RowEntry[];
  readonly failing: Set<number>;
  readonly unhandled: Set<number>;
  readonly node: number;
}

const nothingSeen = (): Omit<Collected, 'node'> => ({
  rows: [],
  failing: new Set(),
  unhandled: new Set(),
});

const isOfNode = (action: Action): action is EventTable['action'] =>
  isStep(action) || action.type === 'crash';

const sendsOf = (flat: readonly number[], nodeCount: number): readonly SendEntry[] =>
  flat.flatMap((slot, index) =>
    index % 2 === 0 ? [{ channel: slot - nodeCount, message: flat[index + 1] as number }] : [],
  );

type Seen = Pick<EventTable, 'node' | 'failing' | 'unhandled' | 'rows'>;

/** An event with what makes it possible. */
function eventOf(
  numbering: Numbering,
  action: EventTable['action'],
  seen: Seen,
): readonly EventTable[] {
  const { compiled } = numbering;
  const number = compiled.actionNumber(action);
  const { type } = action;
  const common = {
    ...seen,
    action,
    type,
    label: actionText(compiled.worlds.protocol, action),
    fair: compiled.fairness(number),
    isOptional: compiled.isOptional(number),
  };
  const only = (enabled: ReadonlySet<number>) => ({
    enabled: new Set([...enabled].filter((state) => !seen.failing.has(state))),
  });
  switch (action.type) {
    case 'command':
      return [{ ...common, ...commandPart(numbering, seen.node, action.command, only) }];
    case 'deliver': {
      const channel = compiled.worlds.topology.links.findIndex(
        ({ from, to }) => from === action.from && to === action.to,
      );
      return [{ ...common, sent: { channel, message: compiled.parcels.id(action.message) } }];
    }
    case 'timeout': {
      const armed = statesWhere(numbering, seen.node, ({ timers }) =>
        timers.some(({ id }) => id === action.timer),
      );
      return [{ ...common, ...only(armed) }];
    }
    case 'choose':
      return [{ ...common, answers: answersTo(numbering, action) }];
    case 'crash': {
      const may = numbering.mayCrash[seen.node];
      return [{ ...common, ...(may && { enabled: may }) }];
    }
    case 'restart':
      return [common];
  }
}

function commandPart(
  numbering: Numbering,
  node: number,
  command: Command,
  only: (enabled: ReadonlySet<number>) => Pick<EventTable, 'enabled'>,
): Pick<EventTable, 'enabled' | 'counter' | 'condition'> {
  const { compiled, nodes } = numbering;
  const { commands } = compiled.worlds;
  const local = compiled.worlds.node(compiled.worlds.topology.nodes[node] as string);
  const all = { commands: commands.initially(1), fulfilled: [] };
  const enabled = statesWhere(numbering, node, (state) =>
    commands.possible(local, state, all).some((other) => sameData(other, command)),
  );
  const position = commands.optional.findIndex((other) => sameData(other, command));
  const condition = nodes[node]?.conditions.findIndex(({ type }) => type === command.type) ?? -1;
  return {
    ...only(enabled),
    ...(position >= 0 && !commands.isUnlimited && { counter: commands.counts[position] ?? 0 }),
    ...(position < 0 && condition >= 0 && { condition }),
  };
}

function statesWhere(
  { compiled, states }: Numbering,
  node: number,
  holds: (state: LocalState) => boolean,
): ReadonlySet<number> {
  const found = (states[node] ?? []).flatMap((number, old) =>
    holds(compiled.localState(node, old)) ? [number] : [],
  );
  return new Set(found);
}

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
const crashesInside = (
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
