import { ConclaveError } from '../base/error.js';
import { isChannelFault } from '../protocol/faults.js';
import type { Json } from '../protocol/node.js';
import {
  absent,
  eventWords,
  headerWith,
  isPlainWord,
  type Trace,
  type TraceEffect,
  type TraceEvent,
  type TraceLine,
  traceVersion,
  type Vocabulary,
  versionKey,
} from './trace.js';

/** The most characters of a line: the step of a node with 10,000 neighbours has fewer. */
const longest = 1_000_000;

/** A line that can be a step; headers may be longer, as where they spell out a large network. */
function requireLine(line: string, where: string): string {
  if (line.length <= longest) return line;
  throw new ConclaveError(
    'bad-trace',
    `${where}: a line of ${line.length} characters`,
    `A step has at most ${longest}. Is this a trace?`,
  );
}

/** Traces without a version are the oldest. */
function requireVersion(text: string, name: string): void {
  if (/^\d+$/.test(text) && Number(text) <= traceVersion) return;
  throw new ConclaveError(
    'bad-trace',
    `${name}: its form has version '${text}', and this Conclave reads versions up to ${traceVersion}`,
    'Take the Conclave that wrote it, or a newer one.',
  );
}

/**
 * Reads a trace back from its text. A `#` line is a header (`# key: value`) or a comment; empty
 * lines are ignored. The version of the text form, `# conclave-trace: 1`, may be missing.
 *
 * @param name what errors call the text, such as its file's name
 * @throws {ConclaveError} `bad-trace`, naming the line.
 */
export function parseTrace(text: string, name = 'trace'): Trace {
  const header = headerWith();
  const lines: TraceLine[] = [];
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim();
    if (line === '') continue;
    const [, key, value = ''] = /^#\s*([\w-]+):\s*(.*)$/s.exec(line) ?? [];
    if (key === versionKey) requireVersion(value, name);
    else if (key !== undefined) header.set(key, value);
    else if (!line.startsWith('#'))
      lines.push(parseLine(requireLine(line, `${name}:${index + 1}`), `${name}:${index + 1}`));
  }
  return { header, lines };
}

type Refuse = (what: string) => ConclaveError;

function parseLine(text: string, where: string): TraceLine {
  const refuse: Refuse = (what) =>
    new ConclaveError(
      'bad-trace',
      `${where}: ${what}: '${text}'`,
      "A line reads like 'a  acquire  released → wanted  ⇒ b: request(1)', its columns two spaces apart.",
    );
  const columns = splitColumns(text);
  const [, time] = /^(\d+\.\d+)ms$/s.exec(columns[0] ?? '') ?? [];
  if (time !== undefined) columns.shift();
  const effects = columns.at(-1)?.startsWith('⇒ ') ? (columns.pop() ?? '').slice(2) : '';
  const [node, eventColumn, states, ...rest] = columns;
  if (node === undefined || eventColumn === undefined || rest.length > 0)
    throw refuse('not a step');
  if (columns.some((column) => column.replace(quoted, '').includes(' ⇒ ')))
    throw refuse("only one space before '⇒'");
  const event = parseEvent(eventColumn);
  return {
    ...(time === undefined ? {} : { time: Number(time) }),
    node,
    event,
    ...(states === undefined ? {} : parseStates(states, event)),
    effects: parseEffects(effects, refuse),
  };
}

const quoted = /"(?:[^"\\]|\\.)*"/g;

/** The cells between gaps of two or more spaces; spaces inside quotes do not count. */
export const splitColumns = (text: string): string[] =>
  text.match(/(?:"(?:[^"\\]|\\.)*"|\S|(?<=\S) (?=\S))+/g) ?? [];

function parseStates(
  text: string,
  event: TraceEvent,
): { readonly before?: string; readonly after: string } {
  const [before = text, after] = text.split(' → ');
  if (after !== undefined) return { before, after };
  return event.kind === 'start' || event.kind === 'restart'
    ? { after: text }
    : { before: text, after: text };
}

/** An event from its text, the second column of a trace. */
export function parseEvent(text: string): TraceEvent {
  if (text === 'start' || text === 'crash' || text === 'restart') return { kind: text };
  const [, toggle, cutFrom] = /^(cut|heal) from ([^\s()"]+)$/s.exec(text) ?? [];
  if ((toggle === 'cut' || toggle === 'heal') && cutFrom !== undefined)
    return { kind: toggle, from: cutFrom };
  const [, call, from] = /^(.+) from ([^\s()"]+)$/s.exec(text) ?? [];
  if (call !== undefined && from !== undefined) {
    const [, fault = '', faulty] = /^(\w+) (.+)$/s.exec(call) ?? [];
    if (isChannelFault(fault) && faulty !== undefined) return { kind: fault, call: faulty, from };
    return { kind: 'deliver', call: plainCall(call), from };
  }
  if (text.startsWith('timeout ')) return { kind: 'timeout', timer: text.slice('timeout '.length) };
  if (text.startsWith('chosen ')) return { kind: 'chosen', value: text.slice('chosen '.length) };
  return { kind: 'command', call: plainCall(text) };
}

/** A command called `start` is printed as `start()`. */
const plainCall = (text: string): string =>
  text.endsWith('()') && eventWords.has(text.slice(0, -2)) ? text.slice(0, -2) : text;

function parseEffects(text: string, refuse: Refuse): TraceEffect[] {
  const parts = splitAtCommas(text);
  if (!parts) throw refuse('a bracket or quote without its partner');
  return parts.map((part) => {
    const effect = parseEffect(part);
    if (!effect) throw refuse(`'${part}' is no effect`);
    return effect;
  });
}

function parseEffect(text: string): TraceEffect | undefined {
  const [, to, call] = /^(\S+): (.+)$/s.exec(text) ?? [];
  if (to !== undefined && call !== undefined) return { kind: 'send', to, call };
  const [, timer, delay] = /^start (.+) ([\d.e+-]+)ms$/s.exec(text) ?? [];
  if (timer !== undefined && Number(delay) >= 0)
    return { kind: 'start', timer, delay: Number(delay) };
  const [, kind, rest] = /^(notify|choose|cancel) (.+)$/s.exec(text) ?? [];
  if (rest === undefined) return undefined;
  if (kind === 'notify') return { kind, call: rest };
  return kind === 'choose' ? { kind, options: rest } : { kind: 'cancel', timer: rest };
}

/**
 * The parts between the commas outside all brackets and quotes; undefined when those do not match.
 */
function splitAtCommas(text: string): string[] | undefined {
  if (text.trim() === '') return [];
  const parts: string[] = [];
  let part = '';
  let depth = 0;
  for (const [piece] of text.matchAll(/"(?:[^"\\]|\\.)*"|./gs)) {
    if (piece === '"') return undefined;
    if ('([{'.includes(piece)) depth++;
    if (')]}'.includes(piece) && --depth < 0) return undefined;
    if (piece === ',' && depth === 0) {
      parts.push(part.trim());
      part = '';
    } else part += piece;
  }
  return depth === 0 ? [...parts, part.trim()] : undefined;
}

/**
 * A message or command from its text: the inverse of {@link callText}.
 *
 * @throws {ConclaveError} `bad-trace` when the vocabulary does not know it.
 */
export function parseCall(
  vocabulary: Vocabulary['messages'],
  text: string,
): { readonly type: string } {
  const [, type = text, list = ''] = /^([^(]+)\((.*)\)$/s.exec(text) ?? [];
  const { fields = [], optionalFields = [] } = vocabulary[type] ?? {};
  const parts = splitAtCommas(list);
  const isAbsent = (index: number) =>
    parts?.[index] === absent && optionalFields.includes(fields[index] ?? '');
  if (!Object.hasOwn(vocabulary, type) || parts?.length !== fields.length) {
    const known = Object.entries(vocabulary).map(([name, { fields = [] }]) =>
      fields.length > 0 ? `${name}(${fields.join(', ')})` : name,
    );
    throw new ConclaveError(
      'bad-trace',
      `'${text}' is none of ${known.join(', ')}`,
      'Is the trace one of this protocol and version?',
    );
  }
  return Object.assign(
    { type },
    Object.fromEntries(
      fields.flatMap((field, index) =>
        isAbsent(index) ? [] : [[field, parseValue(parts[index] ?? '')]],
      ),
    ),
  );
}

/**
 * A value from its text: the inverse of {@link valueText}.
 * @throws {ConclaveError} `bad-trace` when it is none.
 */
export function parseValue(text: string): Json {
  if (isPlainWord(text)) return text;
  const refuse = () =>
    new ConclaveError(
      'bad-trace',
      `'${text}' is not a value`,
      'Write words plainly, other strings in double quotes.',
    );
  const [, opening, inner, closing] = /^([[{])(.*)([\]}])$/s.exec(text) ?? [];
  if (inner !== undefined) {
    const parts = splitAtCommas(inner);
    if (parts && opening === '[' && closing === ']') return parts.map(parseValue);
    if (parts && opening === '{' && closing === '}')
      return Object.fromEntries(parts.map((part) => parsePair(part, refuse)));
    throw refuse();
  }
  try {
    return JSON.parse(text) as Json; // JSON.parse yields plain data
  } catch {
    throw refuse();
  }
}

function parsePair(text: string, refuse: () => ConclaveError): [string, Json] {
  const [, key, value] = /^("(?:[^"\\]|\\.)*"|[^:"]+): (.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) throw refuse();
  return [String(parseValue(key)), parseValue(value)];
}
