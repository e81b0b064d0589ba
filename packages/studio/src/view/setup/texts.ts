import type { Json } from '@conclave/core/protocol';
import { badInput } from '../../base/bad-input.js';
import type { Setup } from '../../link/setup.js';
import type { StudioBudget } from '../../model/studio-budget.js';

export const counts = [
  'commands',
  'losses',
  'duplications',
  'crashes',
  'restarts',
  'partitions',
] as const;

/** What crashes do, each with its words; a field is empty, or 'true'. */
export const flags = {
  atomicSteps: 'crashes only between steps',
  unsent: 'crashes lose what was sent in earlier steps',
} as const;
const flagNames = Object.keys(flags) as readonly (keyof typeof flags)[];

export interface Option {
  readonly name: string;
  readonly type: 'boolean' | 'number' | 'string' | 'list';
  readonly meaning: string;
}

/** What the fields of the form say; empty: the default. */
export type Texts = Readonly<Record<string, string>>;

export const textsOf = ({ topology = '', options, budget }: Setup): Texts => ({
  topology,
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

/**
 * The setup that the fields say. What has no field stays as it was.
 *
 * @throws {ConclaveError} `bad-input` for a field that is no such value.
 */
export function setupOf(texts: Texts, options: readonly Option[], before: Setup): Setup {
  const { inputs, time, mayCrash, unexpected } = before.budget;
  const kept = Object.entries({ inputs, time, mayCrash, unexpected }).filter(
    ([, value]) => value !== undefined,
  );
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
    ...Object.fromEntries([
      ...kept,
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

function whole(name: string, text = ''): number {
  if (/^\d{1,9}$/.test(text.trim())) return Number(text);
  throw badInput(`'${text}' is no number of ${name}`, 'Take a whole number, such as 1.');
}

function optionValue({ name, type }: Option, text: string): Json {
  if (type === 'string') return text;
  if (type === 'list') return text.split(',').map((part) => part.trim());
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  if (type === 'number' && Number.isFinite(Number(text))) return Number(text);
  throw badInput(
    `'${text}' is no ${type}, which ${name} is`,
    type === 'boolean' ? 'Take true or false.' : 'Take a number.',
  );
}

/** The system in words: `complete:3, 1 command each, 1 loss`. */
export function words({ topology = '', options, budget }: Setup): string {
  const said = counts.flatMap((name) => {
    const count = budget[name];
    if (count === undefined) return [];
    return [
      `${count} ${count === 1 ? (singular[name] ?? name.slice(0, -1)) : name}${name === 'commands' ? ' each' : ''}`,
    ];
  });
  return [
    topology,
    ...Object.entries(options).map(([name, value]) => `${name} ${value}`),
    ...said,
    ...flagNames.flatMap((name) => (budget[name] ? [flags[name]] : [])),
    ...(budget.mayCrash ? [`crashes only in ${budget.mayCrash.join(', ')}`] : []),
    ...(budget.unexpected === 'discard' ? ['unexpected messages discarded'] : []),
    ...(budget.order === undefined ? [] : [budget.order === 'fifo' ? 'FIFO' : 'any order']),
    ...(budget.time === undefined || budget.time === 'untimed' ? [] : ['exact time']),
    ...(budget.initiators ? [`started by ${budget.initiators.join(', ')}`] : []),
  ].join(', ');
}

const singular: Readonly<Record<string, string>> = { losses: 'loss', crashes: 'crash' };
