/** A system as a model in Promela, the language of the model checker SPIN. */

import { everyMessageHandled, noStepFails } from '@conclave/core/internal';
import { noDeadlock } from '../worlds/standard-properties.js';
import type { JudgedProperty } from './explored-system.js';
import type { Formula, NodeCondition } from './formulas.js';
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
function guardOf(names: PromelaNames, event: EventTable): readonly string[] {
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

const anyOf = (parts: readonly string[]): string =>
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

/** How a property is in a model for SPIN. */
export interface PromelaClaim {
  readonly property: string;
  /**
   * `states`: a claim about states. `runs`: about runs, to be checked with weak fairness (`pan -a
   * -f`); `commands`: optional commands need not come. `assertion`: with `spin -DQUIESCENCE`.
   */
  readonly by: 'states' | 'runs' | 'commands' | 'assertion';
  /** For `pan -N`; none where an assertion checks it. */
  readonly claims: readonly string[];
}

/** The claims of a model, and its lines about them. */
export function promelaClaims(
  names: PromelaNames,
  properties: readonly JudgedProperty[],
  waiting: Formula | undefined,
): { readonly claims: readonly PromelaClaim[]; readonly lines: readonly string[] } {
  const claims: PromelaClaim[] = [];
  const lines: string[] = [
    '// For a search of all states',
    'ltl states { [] true }',
    '// The properties, with what the explorer found',
  ];
  for (const [index, property] of properties.entries()) {
    const { name, kind, verdict } = property;
    const title = `// ${commentText(`${kind}: ${name}: ${verdict}`)}`;
    const claim = claimOf(names, property, `p${index + 1}`, waiting);
    if ('lines' in claim && claim.lines.some(({ length }) => length > longest)) {
      lines.push(title, '//   not in this model: as a formula it is too long for SPIN');
      continue;
    }
    if ('why' in claim) {
      lines.push(title, `//   not in this model: ${claim.why}`);
      continue;
    }
    lines.push(title, ...claim.lines);
    claims.push({ property: name, by: claim.by, claims: claim.names });
  }
  return { claims, lines };
}

/** SPIN reads no longer formulas, in characters. */
const longest = 3_000;

type Claim =
  | { readonly why: string }
  | {
      readonly by: PromelaClaim['by'];
      readonly names: readonly string[];
      readonly lines: readonly string[];
    };

function claimOf(
  names: PromelaNames,
  { name, kind, formula }: JudgedProperty,
  claim: string,
  waiting: Formula | undefined,
): Claim {
  if (formula === undefined) return standardClaim(names, name, claim, waiting);
  if (formula.kind === 'none') return { why: formula.why };
  if (formula.kind === 'leadsTo') {
    const pairs = formula.pairs.map(({ trigger, response }) => {
      const pair = names.of(`${claim}_${names.tables.nodes[trigger.node]?.id}`);
      const [from, to] = [trigger, response].map((part) => conditionText(names, part));
      return { pair, line: `ltl ${pair} { [] (${from} -> <> ${to}) }` };
    });
    return {
      by: 'commands',
      names: pairs.map(({ pair }) => pair),
      lines: pairs.map(({ line }) => line),
    };
  }
  const holds = names.of(`${claim}_holds`);
  const formulaOf: Readonly<Record<string, string>> = {
    always: `[] ${holds}`,
    never: `[] !${holds}`,
    sometimes: `[] !${holds}`,
    eventually: `<> ${holds}`,
    alwaysEventually: `[] <> ${holds}`,
  };
  const isOfRuns = kind === 'eventually' || kind === 'alwaysEventually';
  return {
    by: isOfRuns ? 'runs' : 'states',
    names: [claim],
    lines: [
      `#define ${holds} ${formulaText(names, formula.holds)}`,
      `ltl ${claim} { ${formulaOf[kind]} }${kind === 'sometimes' ? ' /* an error is a run that gets there */' : ''}`,
    ],
  };
}

/** What follows from the tables, and from when a node waits. */
function standardClaim(
  names: PromelaNames,
  name: string,
  claim: string,
  waiting: Formula | undefined,
): Claim {
  if (name === noDeadlock)
    return waiting
      ? { by: 'assertion', names: [], lines: quiescenceLines(formulaText(names, waiting)) }
      : { why: 'the protocol does not say when a node waits' };
  if (name !== everyMessageHandled && name !== noStepFails)
    return { why: 'this tool does not know it' };
  const failures = names.tables.events
    .filter(({ crashes }) => !crashes)
    .flatMap((event) => failure(names, event, name === everyMessageHandled));
  return {
    by: 'states',
    names: [claim],
    lines: [
      `#define ${claim}_fails ${failures.length === 0 ? 'false' : anyOf(failures)}`,
      `ltl ${claim} { [] !${claim}_fails }`,
    ],
  };
}

function failure(names: PromelaNames, event: EventTable, isUnhandled: boolean): readonly string[] {
  const here = [...event.failing].filter((state) => event.unhandled.has(state) === isUnhandled);
  if (here.length === 0) return [];
  const guard = guardOf(names, { ...event, enabled: new Set(here), failing: new Set() });
  return [`(${guard.join(' && ')})`];
}

const quiescenceLines = (waiting: string): readonly string[] => [
  '#ifdef QUIESCENCE',
  'active proctype quiescence() {',
  `end: do :: d_step { timeout && ${waiting} -> assert(false) } od`,
  '}',
  '#endif',
];

/** A formula as an expression of Promela. */
function formulaText(names: PromelaNames, formula: Formula): string {
  const terms = formula.map((parts) =>
    parts.length === 0
      ? 'true'
      : parts.length === 1
        ? parts.map((part) => conditionText(names, part)).join('')
        : `(${parts.map((part) => conditionText(names, part)).join(' && ')})`,
  );
  return `(${anyOf(terms)})`;
}

function conditionText(names: PromelaNames, { node, up, down }: NodeCondition): string {
  const all = names.tables.nodes[node]?.states.length ?? 0;
  const isIn = (states: ReadonlySet<number>) =>
    states.size === all ? 'true' : names.isIn(node, states);
  if (!names.mayCrash) return isIn(up);
  const isSame = up.size === down.size && [...up].every((state) => down.has(state));
  if (isSame) return isIn(up);
  const isDown = names.down[node];
  return `((!${isDown} && ${isIn(up)}) || (${isDown} && ${isIn(down)}))`;
}

/** Names that other tools take: letters, digits and underscores, each given once. */
class Names {
  readonly #given: Set<string>;

  /** `reserved`: the words of the other language. */
  constructor(reserved: Iterable<string> = []) {
    this.#given = new Set(reserved);
  }

  /** A name that reads as `text`. */
  of(text: string): string {
    const word = text
      .replace(/[^A-Za-z0-9]+/g, '_')
      .replace(/^_+|_+$/g, '')
      .replace(/^(?=\d|$)/, 'n');
    let name = word;
    for (let count = 2; this.#given.has(name); count++) name = `${word}_${count}`;
    this.#given.add(name);
    return name;
  }
}

/** A text that may stand in a comment of Promela. */
export const commentText = (text: string): string =>
  text.replaceAll('*/', '* /').replaceAll('\n', ' ');

/** The numbers as ranges from the first to the last of neighbours. */
function rangesOf(numbers: Iterable<number>): readonly (readonly [number, number])[] {
  const ranges: [number, number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && number === last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges;
}
