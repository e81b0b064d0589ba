/** Commands as tables of options. The types of the values follow from the tables. */

import { availableParallelism } from 'node:os';
import { schemas, wantedInstead } from '@conclave/core/internal';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { badInput } from '../errors.js';
import { counted, number } from '../output/text.js';
import type { SeedsOptions } from '../simulating/seeds.js';

/** An option of a command. A flag has no value. */
export interface OptionOf<T> {
  readonly value?: string;
  readonly meaning: string;
  /** Reads the value; `previous` is what the option had before, where it is given repeatedly. */
  parse?(text: string, previous: T | undefined): T;
  readonly choices?: readonly T[];
  /** Of a flag: `--no-open` sets `open`, which otherwise is true, to false. */
  readonly negative?: true;
}

/** By the name that its value gets: `maxStates` is `--max-states`. */
type OptionTable = Readonly<Record<string, OptionOf<unknown>>>;

/** What the user gave; the others are absent. */
export type ValuesOf<Table extends OptionTable> = {
  readonly [Name in keyof Table]?: Table[Name] extends OptionOf<infer T> ? T : never;
};

export const flag = (meaning: string): OptionOf<true> => ({ meaning });
export const negativeFlag = (meaning: string): OptionOf<boolean> => ({ meaning, negative: true });
export const text = (value: string, meaning: string): OptionOf<string> => ({ value, meaning });
/** @param parse never gives undefined, which commander takes for a missing value */
export const parsed = <T extends NonNullable<unknown>>(
  value: string,
  meaning: string,
  parse: (text: string, previous: T | undefined) => T,
): OptionOf<T> => ({
  value,
  meaning,
  parse,
});
export const choice = <T extends string>(
  value: string,
  choices: readonly T[],
  meaning: string,
): OptionOf<T> => ({
  value,
  meaning,
  choices,
});

/** Without the values that are undefined. */
export function defined<T extends object>(
  values: T,
): { readonly [Name in keyof T]?: Exclude<T[Name], undefined> };
export function defined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** `maxStates` as the user writes it: `--max-states`. */
export const flagOf = (name: string): string =>
  `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

interface CommandOf<Table extends OptionTable> {
  readonly name: string;
  readonly description: string;
  readonly argument?: readonly [name: string, meaning: string];
  /** Whether the argument may be missing; then it is ''. */
  readonly mayLackArgument?: true;
  readonly options: Table;
  /** Headings of its help, each with the options below it; the others follow. */
  readonly groups?: Readonly<Record<string, readonly (keyof Table)[]>>;
  /** What follows the options in its help. */
  readonly help: string;
}

/**
 * Adds a command to the program; `act` gets the values of its options, and its argument, or all of
 * them where it takes several (`files...`).
 */
export function declare<Table extends OptionTable>(
  program: Command,
  { name, description, argument, mayLackArgument, options, groups, help }: CommandOf<Table>,
  act: (options: ValuesOf<Table>, argument: string, all: readonly string[]) => void | Promise<void>,
): void {
  const command = program.command(name).description(description).addHelpText('after', `\n${help}`);
  if (argument)
    command.argument(mayLackArgument ? `[${argument[0]}]` : `<${argument[0]}>`, argument[1]);
  for (const [name, { value, meaning, parse, choices, negative }] of Object.entries(options)) {
    const flags = negative ? flagOf(name).replace('--', '--no-') : flagOf(name);
    const option = new Option(value === undefined ? flags : `${flags} <${value}>`, meaning);
    if (parse) option.argParser(parse);
    if (choices) option.choices(choices.map(String));
    const group = Object.entries(groups ?? {}).find(([, names]) => names.includes(name));
    if (group) option.helpGroup(`${group[0]}:`);
    command.addOption(option);
  }
  command.action(() => act(command.opts<ValuesOf<Table>>(), command.args[0] ?? '', command.args));
}

/**
 * A number that satisfies `schema`, the API's own: so the command line and the API accept the same.
 */
const numberAs =
  (schema: typeof schemas.count) =>
  (text: string): number => {
    const value = /^-?\d*\.?\d+$/.test(text) ? Number(text) : NaN;
    const wanted = wantedInstead(schema, value);
    if (wanted !== undefined) throw new InvalidArgumentError(`It is ${wanted}.`);
    return value;
  };

/** A number of times, a number of steps. */
export const count = numberAs(schemas.count);
export const positive = numberAs(schemas.positive);
export const seed = numberAs(schemas.seed);
export const probability = numberAs(schemas.probability);
/** How much clocks drift, such as 0.01. */
export const drift = numberAs(schemas.drift);
/** An amount of something measured: `measure('milliseconds')`. */
export const measure = (unit: string) => numberAs(schemas.measure(unit));

/** `1:4`, or `3` for `3:3`. */
export function interval(text: string): readonly [number, number] {
  const [, least = '', most = least] = /^(\d*\.?\d+)(?::(\d*\.?\d+))?$/.exec(text) ?? [];
  if (least === '' || Number(least) > Number(most))
    throw new InvalidArgumentError('It is a number such as 3, or least:most such as 1:4.');
  return [Number(least), Number(most)];
}

/** `critical=0:5`; may be given repeatedly. */
export function stays(
  text: string,
  previous: Readonly<Record<string, readonly [number, number]>> = {},
) {
  const [tag = '', limits = ''] = text.split('=');
  if (tag === '' || limits === '')
    throw new InvalidArgumentError('It is a tag and how long, such as critical=0:5.');
  return { ...previous, [tag]: interval(limits) };
}

/** `all`, or some nodes, each once. */
export function initiators(text: string): 'all' | readonly string[] {
  const nodes = text.split(',').map((node) => node.trim());
  if (nodes.includes('')) throw new InvalidArgumentError("It is 'all', or nodes such as a,b.");
  return text === 'all' ? 'all' : [...new Set(nodes)];
}

/** These nodes; undefined where they are all. */
export const someOf = (
  nodes: ReturnType<typeof initiators> | undefined,
): readonly string[] | undefined => (nodes === 'all' ? undefined : nodes);

/** Some names, each once: `critical,waiting`. */
export function names(text: string): readonly string[] {
  const given = text.split(',').map((name) => name.trim());
  if (given.includes('')) throw new InvalidArgumentError('It is names such as critical,waiting.');
  return [...new Set(given)];
}

/** For an option that may be given repeatedly. */
export const collected = (text: string, previous: readonly string[] = []): readonly string[] => [
  ...previous,
  text,
];

export const jsonOption = { json: flag('print one JSON value and nothing else') };

// `1..1000`

/** What a summary keeps of each run takes memory. */
const mostSeeds = 1_000_000;

export type Seeds = SeedsOptions['seeds'];

export function seedRange(text: string): Seeds {
  const [, from = NaN, to = NaN] = (/^(-?\d+)\.\.(-?\d+)$/.exec(text) ?? []).map(Number);
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to))
    throw new InvalidArgumentError('It is two whole numbers, as in 1..1000.');
  if (from > to)
    throw new InvalidArgumentError(`${from} is larger than ${to}: write ${to}..${from}.`);
  if (to - from >= mostSeeds)
    throw new InvalidArgumentError(
      `It has ${number(to - from + 1)} seeds; ${number(mostSeeds)} is the most.`,
    );
  return { from, to };
}

/** @throws {ConclaveError} `bad-input` for more threads than the machine runs at once. */
export function requireCores(workers: number | undefined): void {
  const cores = availableParallelism();
  if (workers !== undefined && workers > cores)
    throw badInput(
      `--workers is ${workers}, and this machine runs ${counted(cores, 'thread')} at once`,
      `Give ${cores} at most.`,
    );
}
