/** A system as a module of TLA+, for the model checker TLC: the same tables, channels and faults. */
import type { Found } from './explored-system.js';
import type { EventTable, SystemTables } from './system-tables.js';
import { propertyLines } from './tla-properties.js';
import { relationLines } from './tla-relation.js';
import { eventText, fairClass, setOf, TlaTexts, tlaComment } from './tla-texts.js';

/** The whole module. */
export function tlaModel(tables: SystemTables, found: Found, name: string): string {
  const texts = new TlaTexts(tables);
  const properties = propertyLines(texts, found);
  return `${[
    `---- MODULE ${name} ----`,
    'EXTENDS Naturals, Sequences, FiniteSets',
    ...headLines(found, tables, properties.config).map(tlaComment),
    '',
    ...tableLines(texts),
    '',
    ...relationLines(tables.order),
    '',
    ...properties.lines,
    '====',
  ].join('\n')}\n`;
}

function headLines(
  { head, states, transitions, assumptions }: Found,
  { choices }: SystemTables,
  config: readonly string[],
): readonly string[] {
  const draws = choices.some((list) => list.some(({ weights }) => weights));
  return [
    ...head,
    `The explorer of Conclave found ${states} states and ${transitions} transitions.`,
    `TLC must find ${states} distinct states and generate ${transitions + 1} (with the first).`,
    ...(draws ? ['What is drawn at random may be any of its values here.'] : []),
    ...assumptions.map((assumption) => `It assumes ${assumption}.`),
    'TLC: -deadlock, as a run may end; for the states a configuration with',
    ...['SPECIFICATION Spec', 'INVARIANT InTables', ...config].map((line) => `  ${line}`),
    'For PROPERTY, SPECIFICATION FairSpec; for one with ~>, LazySpec.',
  ];
}

function tableLines(texts: TlaTexts): readonly string[] {
  const { nodes, channels, messages, budget, choices, asked, events, order } = texts.tables;
  const { losses, duplications, crashes, restarts } = budget;
  const all = (of: (node: number, index: number) => string, key: 'counters' | 'conditions') =>
    nodes.flatMap((node, number) => node[key].map((_, index) => of(number, index)));
  const fair = events.filter((event) => event.fair >= 0);
  const classes = (some: readonly EventTable[]) => setOf([...new Set(some.map(fairClass))]);
  return [
    '\\* The local states',
    ...nodes.flatMap(({ id, states }, node) =>
      states.map(({ detail }, state) =>
        tlaComment(`${id} in ${texts.state(node, state)}: ${detail}`),
      ),
    ),
    `Nodes == ${setOf(texts.nodes)}`,
    `Initial == [n \\in Nodes |-> CASE ${nodes
      .map(({ initial }, node) => `n = ${texts.nodes[node]} -> ${texts.state(node, initial)}`)
      .join(' [] ')}]`,
    '\\* The commands of which each node gets so many, and those that must come when they are due',
    ...many(
      'Counters',
      all((node, index) => texts.counter(node, index), 'counters'),
    ),
    ...many(
      'Conditions',
      all((node, index) => texts.condition(node, index), 'conditions'),
    ),
    `Budget == [losses |-> ${losses}, duplications |-> ${duplications}, crashes |-> ${crashes}, restarts |-> ${restarts}]`,
    '\\* The messages, with their channel',
    ...many(
      'Parcels',
      channels.flatMap((channel, number) =>
        channel.messages.map((message) => texts.parcel(number, message)),
      ),
    ),
    ...inFlightLines(texts, order, messages),
    ...choices.map((list, number) => tlaComment(`open = ${number}: ${JSON.stringify(list)}`)),
    `Asked == ${asked}`,
    `FairClasses == ${classes(fair)}`,
    `OptionalClasses == ${classes(fair.filter(({ isOptional }) => isOptional))}`,
    ...many(
      'Events',
      events.map((event) => eventText(texts, event)),
    ),
  ];
}

/** `Name == { … }`, one element a line. */
const many = (name: string, items: readonly string[]): readonly string[] =>
  items.length === 0
    ? [`${name} == {}`]
    : [
        `${name} == {`,
        ...items.map((item, index) => `  ${item}${index < items.length - 1 ? ',' : ''}`),
        '}',
      ];

/** What is in flight at the start. */
function inFlightLines(
  texts: TlaTexts,
  order: 'fifo' | 'any',
  messages: readonly string[],
): readonly string[] {
  const { channels } = texts.tables;
  const at = channels.flatMap(({ initial }, channel) =>
    order === 'fifo'
      ? initial.length === 0
        ? []
        : [
            [
              `<<${texts.channel(channel)}>>`,
              `<<${initial.map((one) => texts.message(one)).join(', ')}>>`,
            ],
          ]
      : messages.flatMap((_, message) => {
          const count = initial.filter((other) => other === message).length;
          return count === 0 ? [] : [[texts.parcel(channel, message), `${count}`]];
        }),
  );
  const [domain, none] = order === 'fifo' ? ['Nodes \\X Nodes', '<<>>'] : ['Parcels', '0'];
  const cases = at.map(([key, value]) => `p = ${key} -> ${value}`);
  const value = cases.length === 0 ? none : `CASE ${cases.join(' [] ')} [] OTHER -> ${none}`;
  return [`InFlight == [p \\in ${domain} |-> ${value}]`];
}
