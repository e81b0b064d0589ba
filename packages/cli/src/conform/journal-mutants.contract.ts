import type { JournalSource } from '@conclave/check/conform';
import { drawing } from './recorded-run.contract.js';

/** A journal, line by line, without the last end of line. */
export interface Lines {
  readonly name: string;
  readonly lines: readonly string[];
}

/** Journals that differ in one place from those of a run. */
export interface JournalMutant {
  /** What was done, such as `state hash`. */
  readonly kind: string;
  /** Where, and both versions. */
  readonly what: string;
  readonly journals: readonly Lines[];
  /** The lines before it was done: of the file, from 0. */
  readonly file: number;
  readonly line: number;
}

export const linesOf = ({ name, text }: JournalSource): Lines => ({
  name,
  lines: [...text].join('').replace(/\n$/, '').split('\n'),
});
export const sourceOf = ({ name, lines }: Lines): JournalSource => ({
  name,
  text: `${lines.join('\n')}\n`,
});

export const isStep = (line: string): boolean => !line.startsWith('#');

/** The sum that a line ends with, as `markedLine` computes it. */
function sumOf(text: string): string {
  let bits = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    bits = Math.imul(bits ^ text.charCodeAt(index), 0x01000193);
  bits = Math.imul(bits ^ (bits >>> 16), 2246822507);
  bits = Math.imul(bits ^ (bits >>> 13), 3266489909);
  return ((bits ^ (bits >>> 16)) >>> 0).toString(16).padStart(8, '0');
}

/** A line that somebody changed who knows how sums are made. */
export const forged = (line: string): string => {
  const text = line.replace(/ sum [0-9a-f]{8}$/, '');
  return `${text} sum ${sumOf(text)}`;
};

const plusOne = (digits: string) => String(Number(digits) + 1);
const otherDigit = (digit: string) => (digit === '0' ? '1' : '0');

/** One field of a step each; undefined where the line has no such field. */
const fields: Readonly<
  Record<string, (line: string, nodes: readonly string[]) => string | undefined>
> = {
  node: (line, nodes) => line.replace(/^\S+/, (id) => nodes.find((other) => other !== id) ?? id),
  event: (line) => line.replace(/^(\S+ {2})([a-z-]+)/, '$1$2x'),
  argument: (line) =>
    line.replace(
      /^(\S+ {2}[^ ]*?\D)(\d+)/,
      (_, before: string, digits: string) => before + plusOne(digits),
    ),
  sender: (line, nodes) =>
    line.replace(
      /^(\S+ {2}.+? from )(\S+)/,
      (_, before: string, id: string) =>
        before + (nodes.find((other) => other !== id && !line.startsWith(`${other} `)) ?? '?'),
    ),
  'state before': (line) => line.replace(/(\S+) → /, '$1x → '),
  'state after': (line) => line.replace(/ → (\S+)/, ' → $1x'),
  'effect left out': (line) => line.replace(/ {2}⇒ .*? {2}\|/, '  |'),
  receiver: (line, nodes) =>
    line.replace(
      /⇒ (\S+): /,
      (_, id: string) =>
        `⇒ ${nodes.find((other) => other !== id && !line.startsWith(`${other} `)) ?? '?'}: `,
    ),
  'message sent': (line) => line.replace(/(⇒ \S+: [a-z-]+)/, '$1x'),
  incarnation: (line) =>
    line.replace(/( {2}\| )(\d+)/, (_, before: string, digits: string) => before + plusOne(digits)),
  'step number': (line) =>
    line.replace(
      /( {2}\| \d+\.)(\d+)/,
      (_, before: string, digits: string) => before + plusOne(digits),
    ),
  'label left out': (line) => line.replace(/( {2}\| [\d.]+) from \S+/, '$1'),
  'label: incarnation': (line) =>
    line.replace(
      /( {2}\| [\d.]+ from )(\d+)/,
      (_, before: string, digits: string) => before + plusOne(digits),
    ),
  'label: number': (line) =>
    line.replace(
      /( {2}\| [\d.]+ from \d+\.)(\d+)/,
      (_, before: string, digits: string) => before + plusOne(digits),
    ),
  'number sent': (line) =>
    line.replace(/( sent )(\d+)/, (_, before: string, digits: string) => before + plusOne(digits)),
  'state hash': (line) =>
    line.replace(
      /(state )([0-9a-f])/,
      (_, before: string, digit: string) => before + otherDigit(digit),
    ),
};

const headers: Readonly<Record<string, (line: string) => string>> = {
  'header: protocol': (line) => line.replace(/^(# protocol: )/, '$1x-'),
  'header: machine': (line) =>
    line.replace(
      /^(# machine: )(.)/,
      (_, before: string, digit: string) => before + otherDigit(digit),
    ),
  'header: topology': (line) => line.replace(/^(# topology: .*)/, '$1,z'),
  'header: node': (line) => line.replace(/^(# node: ).*/, '$1zz'),
  'header: incarnation': (line) =>
    line.replace(
      /^(# incarnation: )(\d+)/,
      (_, before: string, digits: string) => before + plusOne(digits),
    ),
  'header: stable': (line) => line.replace(/^(# stable: \{)/, '$1"zz":1'),
  'closed: steps': (line) =>
    line.replace(
      /^(# closed: )(\d+)/,
      (_, before: string, digits: string) => before + plusOne(digits),
    ),
};

const replaced = (
  journals: readonly Lines[],
  file: number,
  lines: readonly string[],
): readonly Lines[] =>
  journals.map((journal, index) => (index === file ? { ...journal, lines } : journal));

/** All mutants of journals: one field edited, one pair swapped, one line dropped or doubled. */
export function* journalMutants(
  journals: readonly Lines[],
  nodes: readonly string[],
): Generator<JournalMutant> {
  const draw = drawing(journals.length);
  for (const [file, { name, lines }] of journals.entries()) {
    for (const [line, text] of lines.entries()) {
      const made = (
        kind: string,
        change: readonly string[],
        what = `${name}:${line + 1}`,
      ): JournalMutant => ({
        ...{ kind, what, file, line, journals: replaced(journals, file, change) },
      });
      const edits = isStep(text) ? fields : headers;
      for (const [kind, edit] of Object.entries(edits)) {
        const edited = edit(text, nodes);
        if (edited === undefined || edited === text) continue;
        const what = `${name}:${line + 1} '${text}' → '${edited}'`;
        yield made(kind, lines.with(line, isStep(text) ? forged(edited) : edited), what);
      }
      if (isStep(text)) {
        const at = draw(text.length);
        yield made(
          'one character',
          lines.with(
            line,
            `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`,
          ),
        );
        yield made('line dropped', lines.toSpliced(line, 1));
        yield made('line doubled', lines.toSpliced(line, 0, text));
      }
      const next = lines[line + 1];
      if (!isStep(text) || next === undefined || !isStep(next)) continue;
      yield made('pair swapped', lines.toSpliced(line, 2, next, text));
      const numbers = [text, next].map((one) => / {2}\| (\d+\.\d+)/.exec(one)?.[1] ?? '');
      const renumbered = [next, text].map((one, index) =>
        forged(one.replace(/( {2}\| )\d+\.\d+/, `$1${numbers[index]}`)),
      );
      yield made(
        'pair swapped, renumbered',
        lines.toSpliced(line, 2, ...renumbered),
        `${name}:${line + 1} '${text}' and '${next}'`,
      );
    }
  }
}
