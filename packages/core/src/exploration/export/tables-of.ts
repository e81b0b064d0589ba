import { unlabelled } from '../../protocol/history.js';
import { callText } from '../../trace/text.js';
import type { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { DataInterner } from '../search/tables/interner.js';
import type { World } from '../worlds/world.js';
import { crashesInside } from './crashes-inside.js';
import { eventOf, eventsOf, type Numbers, nothingSeen } from './event-tables.js';
import { crashStates, nodeTable, sortedStates } from './node-tables.js';
import type { ChannelTable, EventTable, SendEntry, SystemTables } from './system-tables.js';

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
    const numbers: number[] = [];
    for (const [number, { old }] of list.entries()) numbers[old] = number;
    return numbers;
  });
  const bare = { compiled, nodes, states, choices };
  const numbers: Numbers = {
    ...bare,
    mayCrash: sorted.map((list, node) => crashStates(compiled, node, list)),
    notices: topology.nodes.map((_, node) => noticesOf(compiled, node)),
  };
  const taken = eventsOf(numbers);
  const channels = channelsOf(compiled, taken, numbers.notices);
  const events = [...taken, ...undelivered(numbers, channels, taken)];
  const { losses, duplications, crashes, restarts } = initial.remaining;
  return {
    ...{ order, nodes, channels },
    messages: parcels.messages.items.map((message) =>
      callText(worlds.protocol.messages, unlabelled(message)),
    ),
    budget: { losses, duplications, crashes, restarts },
    events: worlds.crashesInside ? [...events, ...crashesInside(numbers, events)] : events,
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
  numbers: Numbers,
  channels: readonly ChannelTable[],
  events: readonly EventTable[],
): readonly EventTable[] {
  const { parcels, worlds } = numbers.compiled;
  const known = new Set(events.map(({ sent }) => sent && `${sent.channel} ${sent.message}`));
  return channels.flatMap(({ to, messages }, channel) =>
    messages
      .filter((message) => !known.has(`${channel} ${message}`))
      .flatMap((number) => {
        const link = worlds.topology.links[channel];
        const message = parcels.message(number);
        return link
          ? eventOf(numbers, { type: 'deliver', ...link, message }, { node: to, ...nothingSeen() })
          : [];
      }),
  );
}
