import type { Json } from '@conclave/core/protocol';
import { defined } from '../base/collections.js';
import { badInput } from '../base/input.js';
import { counts, type Setup } from '../link/link.js';
import type { StudioBudget } from '../model/system.js';
import { say } from '../texts/say.js';

/** What crashes do, each with its words; a field is empty, or 'true'. */
export const flags = {
  atomicSteps: 'crashes only between steps',
  unsent: 'crashes lose what was sent in earlier steps',
} as const;
const flagNames = Object.keys(flags) as readonly (keyof typeof flags)[];

/** The fields of exact time: how long messages take, in milliseconds, and how much clocks drift. */
export const times = {
  least: 'messages take from, ms',
  most: 'to, ms',
  drift: 'clocks drift',
} as const;

/** How inputs are written. */
export const example = '[{ "type": "acquire" }]';

export interface Option {
  readonly name: string;
  readonly type: 'boolean' | 'number' | 'string' | 'list';
  readonly meaning: string;
}

/** What the fields of the form say; empty: the default. */
export type Texts = Readonly<Record<string, string>>;

/** @param assumed the time that the protocol assumes */
export const textsOf = (
  { topology = '', options, budget }: Setup,
  assumed?: StudioBudget['time'],
): Texts => ({
  topology,
  ...timeTexts(budget.time, assumed),
  inputs: budget.inputs ? JSON.stringify(budget.inputs) : '',
  ...Object.fromEntries(
    Object.entries(options).map(([name, value]) => [`option ${name}`, String(value)]),
  ),
  ...Object.fromEntries(
    counts.map((name) => [name, budget[name] === undefined ? '' : String(budget[name])]),
  ),
  ...Object.fromEntries(flagNames.map((name) => [name, budget[name] ? 'true' : ''])),
  order: budget.order ?? '',
  initiators: budget.initiators?.join(',') ?? '',
});

function timeTexts(given: StudioBudget['time'], assumed: StudioBudget['time']): Texts {
  const { delay, drift = 0 } = exactTime(given) ?? exactTime(assumed) ?? usualTime;
  const [least, most] = delay.map(String);
  const time = given === undefined ? '' : given === 'untimed' ? 'untimed' : 'exact';
  return { time, least: least ?? '', most: most ?? '', drift: String(drift) };
}

type ExactTime = Exclude<StudioBudget['time'], 'untimed' | undefined>;

const usualTime: ExactTime = { kind: 'exact', delay: [0, 100] };
const exactTime = (time: StudioBudget['time']): ExactTime | undefined =>
  time === 'untimed' ? undefined : time;

/** What the fields say of time; what has no field stays as it was, or as the protocol assumes. */
function timeOf(
  texts: Texts,
  before: StudioBudget['time'],
  assumed: StudioBudget['time'],
): StudioBudget['time'] {
  if (!texts.time) return undefined;
  if (texts.time === 'untimed') return 'untimed';
  const { tick: _, drift: __, ...base } = exactTime(before) ?? exactTime(assumed) ?? usualTime;
  const number = (name: keyof typeof times) => {
    const text = texts[name]?.trim() ?? '';
    if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
    throw badInput(
      say("'{text}' is no number for '{time}'", { text, time: say(times[name]) }),
      say('Take a number, such as 100.'),
    );
  };
  const drift = number('drift');
  const delay = [number('least'), number('most')] as const;
  return { ...base, delay, ...(drift > 0 && { drift }) };
}

/**
 * The setup that the fields say. What has no field stays as it was.
 *
 * @param assumed the time that the protocol assumes
 * @throws {ConclaveError} `bad-input` for a field that is no such value.
 */
export function setupOf(
  texts: Texts,
  options: readonly Option[],
  before: Setup,
  assumed?: StudioBudget['time'],
): Setup {
  const { mayCrash, unexpected } = before.budget;
  const inputs = inputsOf(texts.inputs);
  const time = timeOf(texts, before.budget.time, assumed);
  const numbers = counts.flatMap((name) =>
    texts[name]?.trim() ? [[name, whole(name, texts[name])] as const] : [],
  );
  const { order } = texts;
  const initiators =
    texts.initiators
      ?.split(',')
      .map((id) => id.trim())
      .filter(Boolean) ?? [];
  const budget: StudioBudget = {
    ...defined({ inputs, time, mayCrash, unexpected }),
    ...Object.fromEntries([
      ...numbers,
      ...flagNames.flatMap((name) => (texts[name] ? [[name, true] as const] : [])),
    ]),
    ...((order === 'fifo' || order === 'any') && { order }),
    ...(initiators.length > 0 && { initiators }),
  };
  const chosen = options.flatMap((option) => {
    const text = texts[`option ${option.name}`]?.trim();
    return text ? [[option.name, optionValue(option, text)] as const] : [];
  });
  const topology = texts.topology?.trim();
  return {
    protocol: before.protocol,
    options: Object.fromEntries(chosen),
    ...(topology && { topology }),
    budget,
  };
}

/** The commands themselves; the budget is checked by core. */
function inputsOf(text = ''): StudioBudget['inputs'] {
  if (text.trim() === '') return undefined;
  try {
    const inputs: unknown = JSON.parse(text);
    if (Array.isArray(inputs)) return inputs;
  } catch {}
  throw badInput(
    say("'{text}' is no list of commands", { text }),
    say('Write JSON, such as {example}.', { example }),
  );
}

function whole(name: (typeof counts)[number], text = ''): number {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  throw badInput(
    say("'{text}' is no number of {name}", { text, name: say(name) }),
    say('Take a whole number, such as 1.'),
  );
}

function optionValue({ name, type }: Option, text: string): Json {
  if (type === 'string') return text;
  if (type === 'list') return text.split(',').map((part) => part.trim());
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'number' && Number.isFinite(Number(text))) return Number(text);
  throw badInput(
    say("'{text}' is no {type}, which {name} is", { text, type, name }),
    type === 'boolean' ? say('Take true or false.') : say('Take a number.'),
  );
}
