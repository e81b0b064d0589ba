/** What a link of the studio says, and its text behind `#`. */
import type { ExploreOptions } from '@conclave/check';
import { choices, faults } from '@conclave/core/internal';
import type { ConclaveError, FaultCounts, Json } from '@conclave/core/protocol';
import { defined } from '../base/collections.js';
import { badInput } from '../base/input.js';
import { languages } from '../texts/languages.js';
import { say } from '../texts/say.js';

/** What one page shows, as a text behind `#`. */
export interface Link {
  /** All that determines a system: what a link says before its steps. */
  readonly setup: {
    /** An id or a name of the catalogue, or the name of a protocol that the page was given. */
    readonly protocol: string;
    readonly options: Readonly<Record<string, Json>>;
    /** The spec of the network; undefined: the smallest usual one of the protocol. */
    readonly topology?: string;
    /** The parts of a budget that are plain data. */
    readonly budget: Pick<
      ExploreOptions,
      | 'initiators'
      | 'inputs'
      | keyof FaultCounts
      | 'atomicSteps'
      | 'unsent'
      | 'unexpected'
      | 'order'
      | 'time'
    > & {
      readonly commands?: number;
      /** Where nodes may crash: tags and roles. */
      readonly mayCrash?: readonly string[];
    };
  };
  readonly view: 'world' | 'specification' | 'check' | 'paths';
  /** The actions taken so far: each is its position, from 0, among those possible in its world. */
  readonly steps: readonly number[];
  /** How many of the steps lead to the world that is shown. Default: all. */
  readonly at?: number;
  /** By step: when it happened, in virtual milliseconds; for runs of a simulation. */
  readonly times?: readonly number[];
  /** The step, from 0, where the run begins to repeat; their number: nothing more happens. */
  readonly loopsFrom?: number;
  readonly node?: string;
  /** The language in which it is shown. Default: that of its reader. */
  readonly lang?: (typeof languages)[number];
  /** On a wall, in large type; or within another page. Default: the whole studio. */
  readonly as?: (typeof frames)[number];
  /** The steps that come are shown then, too. Default: a presentation hides them. */
  readonly ahead?: boolean;
  /** The parts of the world that are shown then. Default: network and chart. */
  readonly panels?: readonly (typeof panels)[number][];
  /** By number of steps, from 0: what is said when so many are taken. */
  readonly notes?: Readonly<Record<string, string>>;
  /** An exercise: the property that its reader is to violate, in at most so many steps. */
  readonly goal?: { readonly property: string; readonly within: number };
  /** The property that the run is a counterexample of. */
  readonly counterexample?: string;
  /** The actions of a run from its beginning, for its reader to predict what each does. */
  readonly predict?: readonly number[];
  /** Links that are shown one after the other, and which of them, from 0, this one shows. */
  readonly script?: { readonly station: number; readonly links: readonly string[] };
  /** Of the playground: the name of the exercise in code that is worked on. */
  readonly exercise?: string;
  /** Of the playground, whose protocol is `play`: what is written there, deflated, in base64url. */
  readonly code?: string;
}

export type Setup = Link['setup'];
export type Goal = NonNullable<Link['goal']>;
export type Notes = NonNullable<Link['notes']>;

export const panels = [
  'network',
  'chart',
  'space-time',
  'trace',
  'actions',
  'properties',
  'tried',
] as const;
const frames = ['presentation', 'embed'] as const;

const views = ['world', 'specification', 'check', 'paths'] as const;

/** The parts of a budget that are numbers. */
export const counts = ['commands', ...faults.faultNames] as const;
const flags = ['atomicSteps', 'unsent'] as const;

/**
 * The part of a link behind `#`: `raymond?topology=tree:2:3&losses=1&steps=0.3.2`.
 *
 * @example `studio.html#${linkText({ setup, view: 'world', steps: [0, 3, 2] })}`
 */
export function linkText(link: Link): string {
  const { setup, view, steps, at, times, loopsFrom, node } = link;
  const { protocol, options, topology, budget } = setup;
  const json = (value: unknown) => (value === undefined ? undefined : JSON.stringify(value));
  const fields: readonly (readonly [string, string | undefined])[] = [
    ['topology', topology],
    ['options', Object.keys(options).length > 0 ? json(options) : undefined],
    ...counts.map((name) => [name, budget[name]?.toString()] as const),
    ['initiators', budget.initiators?.join(',')],
    ['inputs', json(budget.inputs)],
    ['mayCrash', budget.mayCrash?.join(',')],
    ['unexpected', budget.unexpected],
    ...flags.map((name) => [name, budget[name] ? 'true' : undefined] as const),
    ['order', budget.order],
    // no other value is null: JSON's way to write Infinity, and a way to read it
    ['time', json(budget.time)?.replaceAll(/null(?=[\],])/g, '1e999')],
    ['view', view === 'world' ? undefined : view],
    ['steps', steps.length > 0 ? steps.join('.') : undefined],
    ['at', at === steps.length ? undefined : at?.toString()],
    ['times', times?.join(',')],
    ['loop', loopsFrom?.toString()],
    ['node', node],
    ['lang', link.lang],
    ['as', link.as],
    ['ahead', link.ahead ? 'true' : undefined],
    ['panels', link.panels?.join(',')],
    ['notes', json(link.notes)],
    ['goal', link.goal?.property],
    ['within', link.goal?.within.toString()],
    ['counterexample', link.counterexample],
    ['predict', link.predict?.join('.')],
    ['exercise', link.exercise],
    ['code', link.code], // last: of a link that was cut off, the rest can be read
  ];
  const query = fields
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${encoded(value)}`]))
    .join('&');
  const own = encoded(protocol) + (query === '' ? '' : `?${query}`);
  return link.script ? [own, link.script.station, ...link.script.links].join(';') : own;
}

/** Readable where a URL allows it. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/%3A/g, ':').replace(/%2C/g, ',');

/**
 * Reads what {@link linkText} wrote; with or without the `#`. An empty text is no link: undefined.
 *
 * @throws {ConclaveError} `bad-input` for a text that cannot be read.
 */
export function parseLink(text: string): Link | undefined {
  const [own = '', station, ...links] = text.replace(/^#\/?/, '').split(';');
  const [protocol = '', query = ''] = own.split(/\?(.*)/s);
  if (protocol === '') return undefined;
  const fields = new Fields(query);
  const budget = budgetOf(fields);
  const topology = fields.text('topology');
  const options = optionsOf(fields);
  const view = fields.oneOf('view', views) ?? 'world';
  const steps = fields.actions('steps') ?? [];
  const others = defined({
    at: fields.whole('at'),
    times: fields.list('times', ',')?.map(moment),
    loopsFrom: fields.whole('loop'),
    node: fields.text('node'),
    lang: fields.oneOf('lang', languages),
    as: fields.oneOf('as', frames),
    ahead: fields.flag('ahead'),
    panels: fields.list('panels', ',')?.flatMap((name) => oneOf('panels', name, panels) ?? []),
    notes: notesIn(fields.json('notes')),
    goal: goalOf(fields.text('goal'), fields.whole('within')),
    counterexample: fields.text('counterexample'),
    predict: fields.actions('predict'),
    exercise: fields.text('exercise'),
    code: fields.text('code'),
  });
  fields.requireAsked();
  requireMoments(others.times, steps.length);
  requirePlaces({ at: others.at, loop: others.loopsFrom }, steps.length);
  const id = attempt(
    () => decodeURIComponent(protocol),
    say("'{protocol}' is no text of a URL", { protocol }),
  );
  const setup = { protocol: id, options, ...defined({ topology }), budget };
  return { setup, view, steps, ...others, ...scriptOf(station, links) };
}

function budgetOf(fields: Fields): Setup['budget'] {
  const budget: Record<string, unknown> = {
    ...Object.fromEntries(counts.map((name) => [name, fields.whole(name)])),
    initiators: fields.list('initiators', ','),
    inputs: fields.json('inputs'),
    mayCrash: fields.list('mayCrash', ','),
    unexpected: fields.oneOf('unexpected', choices.unexpected),
    order: fields.oneOf('order', choices.order),
    time: fields.json('time'),
    ...Object.fromEntries(flags.map((name) => [name, fields.flag(name)])),
  };
  return defined(budget);
}

function optionsOf(fields: Fields): Setup['options'] {
  const options = fields.json('options') ?? {};
  if (isObject(options)) return options;
  throw refused(
    say("'options={options}' is no object", { options: String(fields.text('options')) }),
  );
}

/** As many as there are steps, in their order. */
function requireMoments(times: readonly number[] | undefined, steps: number): void {
  if (times && times.length !== steps)
    throw refused(say('it has {steps} steps and {times} times', { steps, times: times.length }));
  if (times?.some((time, index) => time < (times[index - 1] ?? 0)))
    throw refused(say('its times go back'));
}

function requirePlaces(places: Readonly<Record<string, number | undefined>>, last: number): void {
  for (const [name, step = 0] of Object.entries(places))
    if (step > last)
      throw refused(
        say("'{name}={step}' is behind the last of its steps, {last}", { name, step, last }),
      );
}

const scriptOf = (station: string | undefined, links: readonly string[]): Pick<Link, 'script'> =>
  station === undefined ? {} : { script: { station: count('station', station), links } };

function goalOf(property: string | undefined, within: number | undefined): Goal | undefined {
  if ((property === undefined) !== (within === undefined))
    throw refused(say("'goal' and 'within' need each other"));
  return property === undefined || within === undefined ? undefined : { property, within };
}

function notesIn(value: unknown): Notes | undefined {
  if (value === undefined) return undefined;
  const isNote = ([step, text]: readonly [string, unknown]) =>
    /^\d{1,9}$/.test(step) && typeof text === 'string';
  if (!isObject(value) || !Object.entries(value).every(isNote))
    throw refused(say('its notes are not texts by number of steps'));
  return value as Notes; // just checked
}

const isObject = (value: unknown): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function moment(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw refused(say("'{text}' is no time in milliseconds", { text }));
}

/** The fields of a link, by name. Where there is none of a name, its value is undefined. */
class Fields {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #asked = new Set<string>();

  /** @throws {ConclaveError} `bad-input` for a name that is given twice. */
  constructor(query: string) {
    const pairs = [...new URLSearchParams(query.replaceAll('+', '%2B'))];
    const twice = pairs.find(([name], index) => pairs.findIndex(([one]) => one === name) < index);
    if (twice) throw refused(say("'{name}' is given twice", { name: twice[0] }));
    this.#texts = new Map(pairs);
  }

  text(name: string): string | undefined {
    this.#asked.add(name);
    return this.#texts.get(name);
  }

  whole(name: string): number | undefined {
    const value = this.text(name);
    return value === undefined ? undefined : count(name, value);
  }

  json(name: string): unknown {
    const value = this.text(name);
    return value === undefined
      ? undefined
      : attempt(() => JSON.parse(value), say("'{name}={value}' is no JSON", { name, value }));
  }

  flag(name: string): true | undefined {
    return this.oneOf(name, ['true', 'false']) === 'true' ? true : undefined;
  }

  oneOf<T extends string>(name: string, known: readonly T[]): T | undefined {
    return oneOf(name, this.text(name), known);
  }

  /** An empty text is no word. */
  list(name: string, separator: string): readonly string[] | undefined {
    const text = this.text(name);
    return text === '' ? [] : text?.split(separator);
  }

  actions(name: string): readonly number[] | undefined {
    return this.list(name, '.')?.map((step) => count(name, step));
  }

  /** @throws {ConclaveError} `bad-input` for a field that nobody has asked for. */
  requireAsked(): void {
    for (const name of this.#texts.keys())
      if (!this.#asked.has(name)) throw refused(say("'{name}' means nothing there", { name }));
  }
}

function oneOf<T extends string>(
  name: string,
  text: string | undefined,
  known: readonly T[],
): T | undefined {
  const found = known.find((one) => one === text);
  if (text !== undefined && found === undefined)
    throw refused(
      say("'{name}={text}' is none of {known}", { name, text, known: known.join(', ') }),
    );
  return found;
}

function attempt<T>(read: () => T, complaint: string): T {
  try {
    return read();
  } catch {
    throw refused(complaint);
  }
}

function count(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw refused(say("'{name}={text}' is no whole number", { name, text }));
}

const refused = (what: string): ConclaveError =>
  badInput(say('The link cannot be read: {what}', { what }), say('Was it cut off? Copy it again.'));
