/** A system as a model in Promela, the language of the model checker SPIN. */
import { commentText, Names, rangesOf } from './names.js';
import type { EventTable, RowEntry, SystemTables } from './system-tables.js';

/** The words that no variable may have. */
const reserved = [
  ...'active assert atomic bit bool break byte chan d_step do else empty enabled end eval'.split(
    ' ',
  ),
  ...'false fi full get_priority goto hidden if init int len ltl mtype nempty never nfull'.split(
    ' ',
  ),
  ...'np_ od of pc_value pid priority printf proctype provided run short show skip timeout'.split(
    ' ',
  ),
  ...'true typedef unless unsigned xr xs inline return select for in always eventually until'.split(
    ' ',
  ),
  ...'open states losses duplications crashes restarts again X U V W R'.split(' '),
];

/** The names of a system in the model, and its conditions and statements as texts. */
export class PromelaNames {
  readonly #names = new Names(reserved);
  /** By node and local state. */
  readonly states: readonly (readonly string[])[];
  readonly at: readonly string[];
  readonly down: readonly string[];
  readonly left: readonly (readonly string[])[];
  readonly done: readonly (readonly string[])[];
  readonly channels: readonly string[];
  /** By message. */
  readonly messages: readonly string[];
  /** By channel and message: with `any` order, how many there are. */
  readonly counts: readonly ReadonlyMap<number, string>[];

  constructor(readonly tables: SystemTables) {
    const { nodes, channels, messages } = tables;
    const names = this.#names;
    this.at = nodes.map(({ id }) => names.of(`at_${id}`));
    this.down = nodes.map(({ id }) => names.of(`down_${id}`));
    this.left = nodes.map(({ id, counters }) =>
      counters.map(({ name }) => names.of(`left_${id}_${name}`)),
    );
    this.done = nodes.map(({ id, conditions }) =>
      conditions.map(({ type }) => names.of(`done_${id}_${type}`)),
    );
    this.states = nodes.map(({ id, states }) =>
      states.map(({ name }, number) => names.of(`${id}_${name}_${number}`)),
    );
    const link = ({ from, to }: SystemTables['channels'][number]) =>
      `${nodes[from]?.id}_${nodes[to]?.id}`;
    this.channels = channels.map((channel) => names.of(link(channel)));
    this.messages = messages.map((text) => names.of(text));
    this.counts = channels.map(
      (channel) =>
        new Map(
          channel.messages.map((message) => [
            message,
            names.of(`${link(channel)}_${messages[message]}`),
          ]),
        ),
    );
  }

  /** A name of its own, such as of a process. */
  of(text: string): string {
    return this.#names.of(text);
  }

  state(node: number, state: number): string {
    return this.states[node]?.[state] ?? '';
  }

  /** That a node is in one of these local states. */
  isIn(node: number, states: Iterable<number>): string {
    const at = this.at[node];
    const parts = rangesOf(states).map(([first, last]) =>
      first === last
        ? `${at} == ${this.state(node, first)}`
        : `${at} >= ${this.state(node, first)} && ${at} <= ${this.state(node, last)}`,
    );
    if (parts.length === 0) return 'false';
    const [only] = parts;
    return parts.length === 1 ? `(${only})` : `(${parts.map((part) => `(${part})`).join(' || ')})`;
  }

  /** That a message can be taken from its channel. */
  isNext(channel: number, message: number): string {
    return this.tables.order === 'any'
      ? `${this.counts[channel]?.get(message)} > 0`
      : `${this.channels[channel]}?[${this.messages[message]}]`;
  }

  take(channel: number, message: number): string {
    return this.tables.order === 'any'
      ? `${this.counts[channel]?.get(message)}--`
      : `${this.channels[channel]}?${this.messages[message]}`;
  }

  send(channel: number, message: number): string {
    return this.tables.order === 'any'
      ? `${this.counts[channel]?.get(message)}++`
      : `${this.channels[channel]}!${this.messages[message]}`;
  }

  get mayCrash(): boolean {
    return this.tables.budget.crashes > 0;
  }

  get asks(): boolean {
    return this.tables.choices.length > 1;
  }
}

/** When an event is possible, besides the local states in which it fails. */
export function guardOf(names: PromelaNames, event: EventTable): readonly string[] {
  const { node, type, answers, sent, enabled, failing } = event;
  const { nodes } = names.tables;
  const condition = event.condition === undefined ? '' : names.done[node]?.[event.condition];
  const all = nodes[node]?.states.length ?? 0;
  const isEverywhere = enabled === undefined || enabled.size === all;
  return [
    ...(names.asks
      ? [answers ? anyOf(answers.map(({ list }) => `open == ${list}`)) : 'open == 0']
      : []),
    ...(event.crashes || type === 'crash' ? ['crashes > 0'] : []),
    ...(type === 'restart' ? ['restarts > 0', `${names.down[node]}`] : []),
    ...(names.mayCrash && type !== 'restart' && !answers ? [`!${names.down[node]}`] : []),
    ...(event.counter === undefined ? [] : [`${names.left[node]?.[event.counter]} > 0`]),
    ...(condition ? [`!${condition}`] : []),
    ...(sent ? [names.isNext(sent.channel, sent.message)] : []),
    ...(isEverywhere ? [] : [names.isIn(node, enabled)]),
    ...(enabled === undefined && failing.size > 0 ? [`!${names.isIn(node, failing)}`] : []),
  ];
}

export const anyOf = (parts: readonly string[]): string =>
  parts.length === 0 ? 'false' : parts.length === 1 ? `${parts[0]}` : `(${parts.join(' || ')})`;

/** The statements of an event. */
export function eventLines(names: PromelaNames, event: EventTable): readonly string[] {
  const { node, type, sent, answers } = event;
  const guard = guardOf(names, event).join(' && ');
  const down = names.down[node];
  const spent = [
    ...(event.counter === undefined ? [] : [`${names.left[node]?.[event.counter]}--`]),
    ...(sent ? [names.take(sent.channel, sent.message)] : []),
    ...(type === 'crash' ? ['crashes--', `${down} = 1`] : []),
    ...(type === 'restart' ? ['restarts--', ...(event.crashes ? [] : [`${down} = 0`])] : []),
    ...(event.crashes ? ['crashes--', ...(type === 'restart' ? [] : [`${down} = 1`])] : []),
  ].map((statement) => `${statement};`);
  const head = [`${guard === '' ? 'true' : guard} ->`, ...spent].join(' ');
  return [
    `:: d_step { /* ${commentText(event.label)} */`,
    `     ${head}`,
    ...(answers ? openAfter(answers) : []).map((line) => `     ${line}`),
    ...rowLines(names, event).map((line) => `     ${line}`),
    '   }',
  ];
}

/** What is open once the first choice of a list is answered. */
function openAfter(answers: NonNullable<EventTable['answers']>): readonly string[] {
  const [only] = answers;
  if (answers.length === 1 && only) return [`open = ${only.rest};`];
  return ['if', ...answers.map(({ list, rest }) => `:: open == ${list} -> open = ${rest}`), 'fi;'];
}

/** What an event does in each local state; rows that do the same are one. */
function rowLines(names: PromelaNames, event: EventTable): readonly string[] {
  const byEffect = new Map<string, number[]>();
  for (const row of event.rows) {
    const effect = effectOf(names, event, row);
    byEffect.set(effect, [...(byEffect.get(effect) ?? []), row.state]);
  }
  const lines = [...byEffect].map(
    ([effect, states]) => `:: ${names.isIn(event.node, states)} -> ${effect}`,
  );
  return ['if', ...lines, ':: else -> assert(false) /* not in the tables */', 'fi'];
}

function effectOf(names: PromelaNames, event: EventTable, row: RowEntry): string {
  const { node } = event;
  const statements = [
    ...(row.after === row.state ? [] : [`${names.at[node]} = ${names.state(node, row.after)}`]),
    ...conditionsAfter(names, event, row),
    ...row.sends.map(({ channel, message }) => names.send(channel, message)),
    ...asking(names, event, row),
  ];
  return statements.length === 0 ? 'skip' : statements.join('; ');
}

/** An obligatory command is given once while its condition stays true. */
function conditionsAfter(
  names: PromelaNames,
  event: EventTable,
  { state, after }: RowEntry,
): readonly string[] {
  const { node } = event;
  const isDown = event.type === 'crash' || event.crashes;
  return (names.tables.nodes[node]?.conditions ?? []).flatMap(({ states }, index) => {
    const name = names.done[node]?.[index];
    const isDue = states.has(after) && !isDown;
    if (event.condition === index) return isDue ? [`${name} = 1`] : [];
    return states.has(state) && !isDue ? [`${name} = 0`] : [];
  });
}

/** The choices that a node asks for come before those that are open. */
function asking(
  { tables: { choices } }: PromelaNames,
  { answers }: EventTable,
  { asks }: RowEntry,
): readonly string[] {
  if (asks.length === 0) return [];
  const open = answers ? [...new Set(answers.map(({ rest }) => rest))] : [0];
  const options = open.map((rest) => {
    const next = JSON.stringify([...asks, ...(choices[rest] ?? [])]);
    const list = choices.findIndex((known) => JSON.stringify(known) === next);
    const statement = list < 0 ? 'assert(false)' : `open = ${list}`;
    return open.length === 1 ? statement : `:: open == ${rest} -> ${statement}`;
  });
  return open.length === 1 ? options : [`if ${options.join(' ')} fi`];
}
