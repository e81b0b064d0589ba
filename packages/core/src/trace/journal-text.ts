import { ConclaveError } from '../base/error.js';
import type { Json, NodeId } from '../protocol/node.js';
import { parseEvent, splitColumns } from './parse.js';
import { textSum } from './state-hash.js';
import type { TraceEvent } from './trace.js';

/** Rises when the form of journals changes so that a reader of before would misread it. */
export const journalVersion = 1;
const versionKey = 'conclave-journal';

/** What the first lines of a journal say. */
export interface JournalHeader {
  readonly protocol: string;
  readonly options: Readonly<Record<string, Json>>;
  /** See `protocolFingerprint`. */
  readonly machine: string;
  readonly topology: string;
  readonly node: NodeId;
  /** How often the node has been started, this time included. */
  readonly incarnation: number;
  /** What the node had in stable storage; undefined where it starts for the first time. */
  readonly stable?: Readonly<Record<string, Json>>;
}

export function headerLines({
  protocol,
  options,
  machine,
  topology,
  node,
  incarnation,
  stable,
}: JournalHeader): readonly string[] {
  const entries: readonly (readonly [string, string])[] = [
    [versionKey, String(journalVersion)],
    ['protocol', protocol],
    ...(Object.keys(options).length > 0 ? [['options', JSON.stringify(options)] as const] : []),
    ['machine', machine],
    ['topology', topology],
    ['node', node],
    ['incarnation', String(incarnation)],
    ...(stable ? [['stable', JSON.stringify(stable)] as const] : []),
  ];
  return entries.map(([key, value]) => `# ${key}: ${value}`);
}

/** The bookkeeping of one step. */
export interface Mark {
  readonly incarnation: number;
  /** From 1. */
  readonly step: number;
  /**
   * The label of the message received, such as `1.3`; `?` where it came without one; undefined
   * where the step received none.
   */
  readonly from: string | undefined;
  /** By send, in their order: its number on its link. */
  readonly sent: readonly number[];
  /** See `stateHash`. */
  readonly state: string;
}

/** The last lines that a node writes about itself. */
export const closedLine = (steps: number): string => `# closed: ${steps}`;
export const unhandledLine = (call: string, from: NodeId, label: string | undefined): string =>
  `# unhandled: ${call} from ${from} ${label ?? '?'}`;
/** For a writer that has lost lines. */
export const gapLine = (lines: number, why: string): string =>
  `# gap: ${lines} ${why.replaceAll('\n', ' ')}`;

/**
 * A step as a line of a journal: the line of a trace, and behind two spaces and a bar, its
 * bookkeeping.
 */
export function markedLine(
  readable: string,
  { incarnation, step, from, sent, state }: Mark,
): string {
  const received = from === undefined ? '' : ` from ${from}`;
  const numbers = sent.length === 0 ? '' : ` sent ${sent.join(' ')}`;
  const line = `${readable}  | ${incarnation}.${step}${received}${numbers} state ${state}`;
  return `${line} sum ${textSum(line)}`;
}

/** A label of a link: incarnation and number. */
export const isLabel = (value: unknown): value is string =>
  typeof value === 'string' && /^\d{1,16}\.\d{1,16}$/.test(value);

/** A line of a journal, read. */
export interface JournalStep extends Mark {
  readonly kind: 'step';
  /** From 1. */
  readonly line: number;
  /** The line of the trace. */
  readonly readable: string;
  readonly node: NodeId;
  readonly event: TraceEvent;
}

/** A line that is no step: `key: value`. */
export interface JournalRemark {
  readonly kind: 'remark';
  readonly line: number;
  readonly key: string;
  readonly value: string;
}

/** A line that cannot be read, or was changed after it was written. */
export interface JournalDamage {
  readonly kind: 'damage';
  readonly line: number;
  readonly what: string;
}

export type JournalLine = JournalStep | JournalRemark | JournalDamage;

const bookkeeping =
  /^(\d+)\.(\d+)(?: from (\d+\.\d+|\?))?(?: sent (\d+(?: \d+)*))? state ([0-9a-f]{16}) sum ([0-9a-f]{8})$/;

/** @param line its number in the file, from 1 */
export function readLine(text: string, line: number): JournalLine | undefined {
  if (text.trim() === '') return undefined;
  if (text.startsWith('#')) {
    const [, key, value = ''] = /^# ([\w-]+): (.*)$/s.exec(text) ?? [];
    return key === undefined ? undefined : { kind: 'remark', line, key, value };
  }
  const bar = text.lastIndexOf('  | ');
  const [, incarnation, step, from, sent, state = '', sum] =
    (bar > 0 && bookkeeping.exec(text.slice(bar + 4))) || [];
  if (sum === undefined) return { kind: 'damage', line, what: 'it is no line of a journal' };
  if (textSum(text.slice(0, -13)) !== sum)
    return { kind: 'damage', line, what: 'it is not as it was written: its sum differs' };
  const readable = text.slice(0, bar);
  const [node = '', event = ''] = columnsOf(readable);
  return {
    ...{
      kind: 'step',
      line,
      readable,
      node,
      event: parseEvent(event),
      incarnation: Number(incarnation),
      step: Number(step),
      from,
      state,
    },
    sent: sent === undefined ? none : sent.split(' ').map(Number),
  };
}

const none: readonly number[] = [];

/** The first two columns. */
function columnsOf(readable: string): readonly string[] {
  if (readable.includes('"')) return splitColumns(readable);
  const first = readable.indexOf('  ');
  const second = readable.indexOf('  ', first + 2);
  return [readable.slice(0, first), readable.slice(first + 2, second < 0 ? undefined : second)];
}

/**
 * The header of a journal, from its remarks before the first step.
 *
 * @throws {ConclaveError} `bad-trace` where something is missing or of a newer version.
 */
export function headerOf(remarks: ReadonlyMap<string, string>, name: string): JournalHeader {
  const version = remarks.get(versionKey);
  if (version === undefined)
    throw new ConclaveError(
      'bad-trace',
      `${name} is no journal`,
      `A journal begins with '# ${versionKey}: ${journalVersion}'.`,
    );
  if (!/^\d+$/.test(version) || Number(version) > journalVersion)
    throw new ConclaveError(
      'bad-trace',
      `${name}: its form has version '${version}', and this Conclave reads up to ${journalVersion}`,
    );
  const text = (key: string) => {
    const value = remarks.get(key);
    if (value === undefined || value === '')
      throw new ConclaveError(
        'bad-trace',
        `${name}: its header has no ${key}`,
        'Is its beginning missing?',
      );
    return value;
  };
  const incarnation = Number(text('incarnation'));
  if (!Number.isSafeInteger(incarnation))
    throw new ConclaveError('bad-trace', `${name}: its incarnation is no whole number`);
  const stable = remarks.has('stable') ? fieldsIn(text('stable'), name, 'stable') : undefined;
  return {
    ...{
      protocol: text('protocol'),
      machine: text('machine'),
      topology: text('topology'),
      node: text('node'),
      incarnation,
    },
    options: remarks.has('options') ? fieldsIn(text('options'), name, 'options') : {},
    ...(stable && { stable }),
  };
}

function fieldsIn(text: string, name: string, key: string): Readonly<Record<string, Json>> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Readonly<Record<string, Json>>; // JSON yields plain data
  } catch {
    // reported below
  }
  throw new ConclaveError('bad-trace', `${name}: '# ${key}: ${text}' is no JSON object`);
}
