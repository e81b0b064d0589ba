import { badInput } from '../base/error.js';
import type { Random } from '../base/random.js';
import { conditionChanges, delay as delaySchema } from '../options/channel.js';
import { type ChannelFaults, perChannelFault } from '../protocol/faults.js';
import { checkOptions } from '../schema/check.js';

/** How long a message travels, in milliseconds. */
export type Delay =
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly least: number; readonly most: number }
  | { readonly kind: 'exponential'; readonly mean: number }
  /** Truncated at 0: a negative draw is drawn again. */
  | { readonly kind: 'normal'; readonly mean: number; readonly deviation: number }
  /** The link's own delay from the topology, plus a jitter. */
  | { readonly kind: 'link'; readonly jitter?: Delay };

/**
 * What a channel does to messages, each fault with its probability; every field may change while it
 * runs.
 */
export interface Conditions extends ChannelFaults<number> {
  readonly delay: Delay;
  /** `fifo` keeps the order even where the delays would not. */
  readonly order: 'fifo' | 'any';
}

export const perfect: Conditions = {
  delay: { kind: 'fixed', ms: 1 },
  order: 'fifo',
  ...perChannelFault('tolerance', () => 0),
};

/**
 * `perfect` with `changes`, checked.
 * @throws {ConclaveError} `bad-input` for an invalid delay or probability.
 */
export function conditions(changes: Partial<Conditions> = {}): Conditions {
  checkOptions('Conditions', conditionChanges, changes);
  return { ...perfect, ...changes };
}

/** A delay as the command line writes it: `uniform:10:50`. */
export function delayText(delay: Delay): string {
  if (delay.kind === 'fixed') return `fixed:${delay.ms}`;
  if (delay.kind === 'uniform') return `uniform:${delay.least}:${delay.most}`;
  if (delay.kind === 'exponential') return `exponential:${delay.mean}`;
  if (delay.kind === 'normal') return `normal:${delay.mean}:${delay.deviation}`;
  return delay.jitter ? `geo+${delayText(delay.jitter)}` : 'geo';
}

/**
 * A delay from its text, such as `uniform:1:9`, `normal:5:2` or `geo+fixed:1`.
 * @throws {ConclaveError} `bad-input`.
 */
export function parseDelay(text: string): Delay {
  if (text === 'geo') return { kind: 'link' };
  if (text.startsWith('geo+'))
    return { kind: 'link', jitter: parseDelay(text.slice('geo+'.length)) };
  const [kind, ...parts] = text.split(':');
  const numbers = parts.flatMap((part) =>
    part.trim() === '' || Number.isNaN(Number(part)) ? [] : [Number(part)],
  );
  const [first = NaN, second = NaN] = numbers;
  let delay: Delay | undefined;
  if (kind === 'fixed' && numbers.length === 1) delay = { kind, ms: first };
  if (kind === 'uniform' && numbers.length === 2) delay = { kind, least: first, most: second };
  if (kind === 'exponential' && numbers.length === 1) delay = { kind, mean: first };
  if (kind === 'normal' && numbers.length === 2) delay = { kind, mean: first, deviation: second };
  if (!delay || parts.length !== numbers.length)
    throw badInput(
      `'${text}' is no delay`,
      'Write fixed:5, uniform:10:50, exponential:20, normal:20:5, geo or geo+uniform:0:5.',
    );
  checkOptions(`The delay ${delayText(delay)}`, delaySchema, delay);
  return delay;
}

/** Draws one travel time over a link whose own delay is `link` milliseconds. */
export function drawDelay(delay: Delay, link: number, random: Random): number {
  switch (delay.kind) {
    case 'fixed':
      return delay.ms;
    case 'uniform':
      return delay.least + (delay.most - delay.least) * random.unit();
    case 'exponential':
      return random.exponential(delay.mean);
    case 'normal': {
      let drawn = random.normal(delay.mean, delay.deviation);
      while (drawn < 0) drawn = random.normal(delay.mean, delay.deviation);
      return drawn;
    }
    case 'link':
      return delay.jitter ? link + drawDelay(delay.jitter, 0, random) : link;
  }
}
