/**
 * The tables of a system after a complete search: every local state, message and step that the
 * explorer has seen, renumbered so that sets of states are often ranges. Events: event-tables.ts
 */
import { unlabelled } from '@conclave/core/internal';
import { callText, valueText } from '@conclave/core/internal/trace';
import type { Json, LocalState } from '@conclave/core/protocol';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { DataInterner } from '../search/tables/interner.js';
import type { World } from '../worlds/world.js';
import { crashesInside, type Numbering, observedEvents, undelivered } from './event-tables.js';
import type {
  ChannelTable,
  EventTable,
  NodeTable,
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
  const nodes = sorted.map((states, node) => nodeTable(compiled, node, states));
  const numbering: Numbering = {
    ...{ compiled, nodes, choices },
    states: sorted.map(newNumbers),
    mayCrash: sorted.map((states, node) => crashStates(compiled, node, states)),
    notices: topology.nodes.map((_, node) => noticesOf(compiled, node)),
  };
  const observed = observedEvents(numbering);
  const channels = channelsOf(compiled, observed, numbering.notices);
  const events = [...observed, ...undelivered(numbering, channels, observed)];
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

/** A local state with the number that it has in the explorer. */
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

/** By number in the explorer: the number in the table, which is the position. */
function newNumbers(states: readonly SortedState[]): readonly number[] {
  const numbers: number[] = [];
  for (const [number, { old }] of states.entries()) numbers[old] = number;
  return numbers;
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

/** The local states in which a node may crash; undefined: all. */
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

/** What a node that crashes makes the network send, where others are told of it. */
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

/** The channels, with all that is ever sent on them. */
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
