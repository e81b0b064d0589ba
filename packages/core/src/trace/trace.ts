import { ConclaveError } from '../base/error.js';
import type { ChannelFault } from '../protocol/faults.js';
import type { Json, NodeId } from '../protocol/node.js';
import type { Shape } from '../protocol/protocol.js';

/** One line of a trace. `before` and `after` are state texts; channel events have none. */
export interface TraceLine {
  /** Virtual milliseconds since the start; absent in untimed traces of the explorer. */
  readonly time?: number;
  readonly node: NodeId;
  /** What happened to a node, or (a fault of channels, cut, heal) to the channel `from`→node. */
  readonly event:
    | { readonly kind: 'start' | 'crash' | 'restart' }
    | { readonly kind: 'command'; readonly call: string }
    | {
        readonly kind: 'deliver' | ChannelFault;
        readonly call: string;
        readonly from: NodeId;
      }
    | { readonly kind: 'cut' | 'heal'; readonly from: NodeId }
    | { readonly kind: 'timeout'; readonly timer: string }
    | { readonly kind: 'chosen'; readonly value: string };
  readonly before?: string;
  readonly after?: string;
  /** What the step made the node do. Messages are texts such as `request(1)`. */
  readonly effects: readonly (
    | { readonly kind: 'send'; readonly to: NodeId; readonly call: string }
    | { readonly kind: 'notify'; readonly call: string }
    | { readonly kind: 'choose'; readonly options: string }
    | { readonly kind: 'start'; readonly timer: string; readonly delay: number }
    | { readonly kind: 'cancel'; readonly timer: string }
  )[];
}

export type TraceEvent = TraceLine['event'];
export type TraceEffect = TraceLine['effects'][number];

/**
 * One run, from any host. `header` holds at least `protocol` and `topology`, enough to replay it.
 */
export interface Trace {
  readonly header: ReadonlyMap<string, string>;
  readonly lines: readonly TraceLine[];
}

/** A header that `JSON.stringify` keeps, as an object. */
export function headerWith(entries: Iterable<readonly [string, string]> = []): Map<string, string> {
  const header = new Map(entries);
  return Object.defineProperty(header, 'toJSON', { value: () => Object.fromEntries(header) });
}

/** The fields of messages and commands in printing order, as a protocol declares them. */
export interface Vocabulary {
  readonly messages: Calls;
  readonly commands: Calls;
}

type Calls = Readonly<Record<string, Pick<Shape, 'fields' | 'optionalFields'>>>;

/** In place of the value of a field that is absent. */
export const absent = '-';

const words = new Set(['true', 'false', 'null']);

/** Whether a string needs no quotes in a trace. */
export const isPlainWord = (text: string): boolean =>
  /^[A-Za-z_][\w.-]*$/.test(text) && !words.has(text);

/** Calls that would read as an event; they are printed with `()` there. */
export const eventWords: ReadonlySet<string> = new Set([
  'start',
  'crash',
  'restart',
  'cut',
  'heal',
]);

/** A value in a trace: JSON, with plain words left unquoted. */
export function valueText(value: Json): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value === 'string' && isPlainWord(value)) return value;
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, item]) => `${valueText(key)}: ${valueText(item as Json)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}

/**
 * A message or command in a trace: `request(1)`, or `reply` when it carries nothing.
 *
 * @throws {ConclaveError} `bad-protocol` when it carries other fields than its protocol declares.
 */
export function callText(
  vocabulary: Vocabulary['messages'],
  message: { readonly type: string },
): string {
  const { fields = none, optionalFields = none } = vocabulary[message.type] ?? {};
  const values = message as unknown as Readonly<Record<string, Json>>; // messages are plain data
  let count = 0;
  for (const key in values) if (key !== 'type' && key !== 'from') count++;
  if (count === 0 && fields.length === 0) return message.type;
  let text = '';
  for (const field of fields) {
    const value = values[field];
    if (value === undefined) {
      if (!optionalFields.includes(field)) throw undeclared(message, fields);
      count++;
    }
    const part = value === undefined ? absent : valueText(value);
    text += text === '' ? part : `, ${part}`;
  }
  if (count !== fields.length) throw undeclared(message, fields);
  return `${message.type}(${text})`;
}

const none: readonly string[] = [];

function undeclared(message: { readonly type: string }, fields: readonly string[]): ConclaveError {
  const found = Object.keys(message).filter((key) => key !== 'type' && key !== 'from');
  return new ConclaveError(
    'bad-protocol',
    `'${message.type}' carries (${found.join(', ')}), but its protocol declares (${fields.join(', ')})`,
    'Declare its fields under messages or commands.',
  );
}

const unlikeEvent = (call: string): string => (eventWords.has(call) ? `${call}()` : call);

/** An event, as in the second column of a trace. */
export const eventText = (event: TraceLine['event']): string => {
  const { kind } = event;
  if (kind === 'command') return unlikeEvent(event.call);
  if (kind === 'deliver') return `${unlikeEvent(event.call)} from ${event.from}`;
  if (kind === 'cut' || kind === 'heal') return `${kind} from ${event.from}`;
  if (kind === 'timeout') return `timeout ${event.timer}`;
  if (kind === 'chosen') return `chosen ${event.value}`;
  return 'call' in event ? `${kind} ${event.call} from ${event.from}` : kind;
};

export const effectText = (effect: TraceEffect): string => {
  const { kind } = effect;
  if (kind === 'send') return `${effect.to}: ${effect.call}`;
  if (kind === 'notify') return `notify ${effect.call}`;
  if (kind === 'choose') return `choose ${effect.options}`;
  return kind === 'start' ? `start ${effect.timer} ${effect.delay}ms` : `cancel ${effect.timer}`;
};

/**
 * The states of a line in a trace: `released → wanted`, one word where nothing changed, '' for a
 * channel event.
 */
export const statesText = ({ before, after }: TraceLine): string => {
  if (after === undefined) return '';
  return before === undefined || before === after ? after : `${before} → ${after}`;
};

const effectsText = ({ effects }: TraceLine): string =>
  effects.length === 0 ? '' : `⇒ ${effects.map(effectText).join(', ')}`;

/**
 * The lines of a trace in the one text form, columns aligned, without its header. Times in
 * milliseconds, to the microsecond. Of a trace that ends before a step which fails, the last line
 * says why: `✗ Node b: …`.
 *
 * @example
 * a  acquire            released → wanted  ⇒ b: request(1)
 * b  request(1) from a  released           ⇒ a: reply
 */
export function linesText(run: Trace | readonly TraceLine[]): string {
  if ('header' in run) {
    const fault = run.header.get('fault');
    return linesText(run.lines) + (fault === undefined ? '' : `✗ ${fault}\n`);
  }
  const rows = run.map((line) => [
    line.time === undefined ? '' : `${line.time.toFixed(3)}ms`,
    line.node,
    eventText(line.event),
    statesText(line),
    effectsText(line),
  ]);
  const [timeWidth = 0, ...widths] = [0, 1, 2, 3].map((column) =>
    rows.reduce((widest, row) => Math.max(widest, row[column]?.length ?? 0), 0),
  );
  return rows
    .map(([time = '', ...cells]) => {
      const aligned = cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
      return `${timeWidth === 0 ? '' : `${time.padStart(timeWidth)}  `}${aligned}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * The key of the line with the version of the text form; it belongs to the text and not to the
 * trace, so no header holds it.
 */
export const versionKey = 'conclave-trace';
/** Rises when the text form changes so that `parseTrace` of before would misread it. */
export const traceVersion = 1;

/**
 * A whole trace as text: the version of its form and its header as `# key: value` lines, then its
 * steps; `parseTrace` reads it back.
 */
export function traceText(trace: Trace): string {
  const header = [[versionKey, traceVersion], ...trace.header]
    .map(([key, value]) => `# ${key}: ${value}\n`)
    .join('');
  return `${header}${linesText(trace.lines)}`;
}
