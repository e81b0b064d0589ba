/** Text for a terminal: numbers, tables, colours; and the files that a command writes. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Exploration } from '@conclave/check';
import type { Property, Protocol } from '@conclave/core/protocol';
import Table from 'cli-table3';
import { attempt, badInput } from '../errors.js';
import type { Session } from '../session.js';

export type Verdict = Exploration['properties'][number]['verdict'];

/** `12,345`; the first `toLocaleString` of a process takes 20 ms. */
export const number = (value: number): string =>
  Number.isSafeInteger(value)
    ? String(value).replace(/\B(?=(\d{3})+$)/g, ',')
    : value.toLocaleString('en-US');
/** `1,234.57` */
export const decimal = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 2 });
/** `1 entry`, `2 entries` */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`;
/** `250 ms`, `1.5 s` */
export const duration = (seconds: number): string =>
  seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${decimal(seconds)} s`;

/** A spec short enough for one line. */
export const abridged = (spec: string): string =>
  spec.length <= 60 ? spec : `${spec.slice(0, 59)}…`;

/** Enough for a summary; the JSON has all. */
export const few = (list: readonly string[], separator = '; '): string =>
  list.length <= 5
    ? list.join(separator)
    : `${list.slice(0, 4).join(separator)}${separator}and ${list.length - 4} more`;

/** `'a', 'b'` */
export const quoted = (names: readonly { readonly name: string }[]): string =>
  names.map(({ name }) => `'${name}'`).join(', ');

/** Blocks of text with a blank line between them; empty ones are left out. */
export const blocks = (...texts: readonly string[]): string =>
  texts.filter((text) => text !== '').join('\n');

const bare = {
  ...{
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
  },
  ...{ left: '', 'left-mid': '', mid: '', 'mid-mid': '', right: '', 'right-mid': '', middle: '  ' },
};

/**
 * Rows as text in aligned columns, without lines between them; no rows, no text.
 *
 * @param width of the terminal: longer lines are broken between words, within their columns
 */
export function table(rows: readonly (readonly string[])[], width = Infinity): string {
  if (rows.length === 0) return '';
  const cells = new Table({
    chars: bare,
    style: { 'padding-left': 0, 'padding-right': 0, head: [], border: [] },
    ...(width < Infinity && { colWidths: fitting(rows, width), wordWrap: true }),
  });
  cells.push(...rows.map((row) => [...row]));
  const lines = cells.toString().split('\n');
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

const between = 2;

/** The widths of columns that fit into a line together: the widest give way, down to a word. */
function fitting(rows: readonly (readonly string[])[], width: number): number[] {
  const longest = (index: number, part: RegExp) =>
    Math.max(
      ...rows.flatMap((row) =>
        stripVTControlCharacters(row[index] ?? '')
          .split(part)
          .map(({ length }) => length),
      ),
    );
  const columns = rows[0]?.map((_, index) => index) ?? [];
  const least = columns.map((index) => longest(index, /\s/));
  const widths = columns.map((index) => longest(index, /\n/));
  const room = width - between * (widths.length - 1);
  for (let sum = widths.reduce((all, one) => all + one, 0); sum > room; sum--) {
    const open = columns.filter((index) => (widths[index] ?? 0) > (least[index] ?? 0));
    const widest = Math.max(...open.map((index) => widths[index] ?? 0));
    const chosen = open.find((index) => widths[index] === widest);
    if (chosen === undefined) break;
    widths[chosen] = widest - 1;
  }
  return widths;
}

/** A title, and rows of a label and a text. */
export const heading = (
  title: string,
  rows: readonly string[][],
  { colours: { dim }, width }: Pick<Session, 'colours' | 'width'>,
): string => {
  const lines = rows.map(([label = '', text = '']) => [dim(label), text]);
  return `${title}\n${table(lines, width)}`;
};

export const titleOf = ({ id, title, problem }: Protocol, { bold }: Session['colours']): string =>
  bold(`${title}${id ? ` (${id})` : ''}, ${problem}`);

interface Finding {
  readonly name: string;
  readonly kind: Property['kind'];
  readonly verdict: Verdict;
}

/**
 * A property a line: a mark, its name, its kind and its verdict. Those of `refuted` are marked as
 * failures.
 */
export const verdictTable = (
  findings: readonly Finding[],
  { colours, width }: Pick<Session, 'colours' | 'width'>,
  refuted: readonly Verdict[],
): string =>
  table(
    findings.map(({ name, kind, verdict }) => [
      markOf(verdict, colours, refuted),
      name,
      colours.dim(kind),
      verdict,
    ]),
    width,
  );

/** The mark of a verdict; those of `refuted` are failures. */
export function markOf(
  verdict: Verdict,
  { green, red, yellow }: Session['colours'],
  refuted: readonly Verdict[],
): string {
  if (refuted.includes(verdict)) return red('✗');
  return verdict === 'holds' || verdict === 'reached' ? green('✓') : yellow('?');
}

/**
 * Writes files, by their names, to a folder.
 *
 * @param option with which the user chooses the folder
 * @throws {ConclaveError} `bad-input` where a file exists already, before any is written, and where
 * one cannot be written.
 */
export function writeNew(
  folder: string,
  files: Readonly<Record<string, string>>,
  option: string,
): void {
  const existing = Object.keys(files).find((file) => existsSync(join(folder, file)));
  if (existing !== undefined)
    throw badInput(
      `'${join(folder, existing)}' exists already`,
      `Choose another folder with ${option}; nothing is overwritten.`,
    );
  attempt(`The files cannot be written to '${folder}'`, () => {
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(files))
      writeFileSync(join(folder, file), text, { flag: 'wx' });
  });
}
