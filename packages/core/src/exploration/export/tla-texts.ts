import { commentText } from './names.js';
import type { EventTable, RowEntry, SystemTables } from './system-tables.js';

/** The texts of a system in the module: strings, each with one meaning. */
export class TlaTexts {
  readonly nodes: readonly string[];
  readonly #messages: readonly string[];

  constructor(readonly tables: SystemTables) {
    this.nodes = tables.nodes.map(({ id }) => quoted(id));
    this.#messages = distinct(tables.messages.map(quoted));
  }

  state(node: number, state: number): string {
    return quoted(`${this.tables.nodes[node]?.states[state]?.name} ${state}`);
  }

  states(node: number, states: Iterable<number>): string {
    return setOf([...states].map((state) => this.state(node, state)));
  }

  channel(channel: number): string {
    const { from = 0, to = 0 } = this.tables.channels[channel] ?? {};
    return `${this.nodes[from]}, ${this.nodes[to]}`;
  }

  message(message: number): string {
    return this.#messages[message] ?? '';
  }

  parcel(channel: number, message: number): string {
    return `<<${this.channel(channel)}, ${this.message(message)}>>`;
  }

  counter(node: number, index: number): string {
    const { name, initial } = this.tables.nodes[node]?.counters[index] ?? { name: '', initial: 0 };
    return `[node |-> ${this.nodes[node]}, of |-> ${quoted(`${name} ${index}`)}, count |-> ${initial}]`;
  }

  condition(node: number, index: number): string {
    const { type = '', states = [] } = this.tables.nodes[node]?.conditions[index] ?? {};
    return `[node |-> ${this.nodes[node]}, of |-> ${quoted(type)}, due |-> ${this.states(node, states)}]`;
  }
}

/** TLC may read no other signs: dashes become -, others their code, `u2192`. */
const ascii = (text: string): string =>
  text
    .replace(/[–—]/g, '-')
    .replace(/[^\n -~]/gu, (sign) => `u${(sign.codePointAt(0) ?? 0).toString(16)}`);

export const quoted = (text: string): string =>
  `"${ascii(text).replaceAll('\\', '\\\\').replaceAll('"', "'").replaceAll('\n', ' ')}"`;

export const setOf = (items: readonly string[]): string => `{${items.join(', ')}}`;

/** Those that come again get a number. */
const distinct = (texts: readonly string[]): readonly string[] =>
  texts.map((text, index) =>
    texts.indexOf(text) === index ? text : `${text.slice(0, -1)} #${index}"`,
  );

export const tlaComment = (text: string): string =>
  text === '' ? '\\*' : `\\* ${commentText(ascii(text))}`;

/** Classes count from 1; 0: it need never happen. */
export const fairClass = ({ fair }: EventTable): string => `${fair + 1}`;

/** An event as a record. */
export function eventText(texts: TlaTexts, event: EventTable): string {
  const { node, type, label, sent, answers, counter, condition } = event;
  const one = (text: string | undefined) => setOf(text === undefined ? [] : [text]);
  const fields = {
    label: quoted(label),
    node: texts.nodes[node],
    type: quoted(type),
    crashes: type === 'crash' || event.crashes ? 'TRUE' : 'FALSE',
    fair: fairClass(event),
    counters: one(counter === undefined ? undefined : texts.counter(node, counter)),
    conditions: one(condition === undefined ? undefined : texts.condition(node, condition)),
    takes: one(sent && texts.parcel(sent.channel, sent.message)),
    enabled: texts.states(node, enabledIn(texts.tables, event)),
    answers: setOf((answers ?? []).map(({ list, rest }) => `[list |-> ${list}, rest |-> ${rest}]`)),
    rows: setOf(event.rows.map((row) => `\n      ${rowText(texts, event, row)}`)),
  };
  return `[${Object.entries(fields)
    .map(([key, value]) => `${key} |-> ${value}`)
    .join(', ')}]`;
}

/** Where an event is possible: not where it fails. */
function enabledIn(
  { nodes }: SystemTables,
  { node, enabled, failing }: EventTable,
): readonly number[] {
  const all = nodes[node]?.states.map((_, state) => state) ?? [];
  return enabled ? [...enabled] : all.filter((state) => !failing.has(state));
}

function rowText(texts: TlaTexts, event: EventTable, row: RowEntry): string {
  const { node } = event;
  const sends = row.sends.map(({ channel, message }) => texts.parcel(channel, message));
  return `[from |-> ${texts.state(node, row.state)}, to |-> ${texts.state(node, row.after)}, sends |-> <<${sends.join(', ')}>>, asks |-> ${setOf(asksOf(texts.tables, event, row))}]`;
}

/** By what is left open: the list with what is asked before it. */
function asksOf(
  { choices }: SystemTables,
  { answers }: EventTable,
  { asks }: RowEntry,
): readonly string[] {
  if (asks.length === 0) return [];
  const open = answers ? [...new Set(answers.map(({ rest }) => rest))] : [0];
  return open.flatMap((rest) => {
    const next = JSON.stringify([...asks, ...(choices[rest] ?? [])]);
    const list = choices.findIndex((known) => JSON.stringify(known) === next);
    return list < 0 ? [] : [`[rest |-> ${rest}, list |-> ${list}]`];
  });
}
