import { ConclaveError } from '../protocol/error.js';
import { isTime } from '../protocol/time.js';
import type { Random } from './random.js';

/** How long a message travels, in milliseconds. */
export type Delay =
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly least: number; readonly most: number }
  | { readonly kind: 'exponential'; readonly mean: number }
  /** Truncated at 0: a negative draw is drawn again. */
  | { readonly kind: 'normal'; readonly mean: number; readonly deviation: number }
  /** The link's own delay from the topology, plus a jitter. */
  | { readonly kind: 'link'; readonly jitter?: Delay };

/** What a channel does to messages; every field may change while it runs. */
export interface Conditions {
  readonly delay: Delay;
  /** `fifo` keeps the order even where the delays would not. */
  readonly order: 'fifo' | 'any';
  /** Probability that a message is lost. */
  readonly loss: number;
  /** Probability that a message comes twice. */
  readonly duplication: number;
}

export const perfect: Conditions = { delay: { kind: 'fixed', ms: 1 }, order: 'fifo', loss: 0, duplication: 0 };

/** `perfect` with `changes`, checked. @throws {ConclaveError} `bad-input` for a delay or probability that cannot be. */
export function conditions(changes: Partial<Conditions> = {}): Conditions {
  const result = { ...perfect, ...changes };
  checkDelay(result.delay);
  for (const name of ['loss', 'duplication'] as const) {
    const probability = result[name];
    if (!(probability >= 0 && probability <= 1))
      throw new ConclaveError('bad-input', `${name} ${probability} is no probability`, 'Give a number from 0 to 1.');
  }
  if (result.order !== 'fifo' && result.order !== 'any')
    throw new ConclaveError('bad-input', `'${String(result.order)}' is no order`, "Give 'fifo' or 'any'.");
  return result;
}

/** @throws {ConclaveError} `bad-input` for a delay that cannot be. */
export function checkDelay(delay: Delay): void {
  const refuse = (what: string) => {
    throw new ConclaveError('bad-input', `${delayText(delay)}: ${what}`, 'Delays are milliseconds, from 0 to 1e12 (some 30 years).');
  };
  const check = (name: string, value: number) => {
    if (!isTime(value)) refuse(`${name} ${value} is no delay`);
  };
  switch (delay.kind) {
    case 'fixed':
      return check('the delay', delay.ms);
    case 'uniform':
      check('the least delay', delay.least);
      check('the most delay', delay.most);
      if (delay.least > delay.most) refuse(`the least delay ${delay.least} is above the most ${delay.most}`);
      return;
    case 'exponential':
      return check('the mean', delay.mean);
    case 'normal':
      check('the mean', delay.mean);
      return check('the deviation', delay.deviation);
    case 'link':
      if (delay.jitter) checkDelay(delay.jitter);
      return;
    default:
      refuse('it is no kind of delay');
  }
}

/** A delay as the command line writes it: `uniform:10:50`. */
export function delayText(delay: Delay): string {
  switch (delay.kind) {
    case 'fixed':
      return `fixed:${delay.ms}`;
    case 'uniform':
      return `uniform:${delay.least}:${delay.most}`;
    case 'exponential':
      return `exponential:${delay.mean}`;
    case 'normal':
      return `normal:${delay.mean}:${delay.deviation}`;
    case 'link':
      return delay.jitter ? `geo+${delayText(delay.jitter)}` : 'geo';
    default:
      return String((delay as { kind: unknown }).kind); // only reached by untyped callers; checkDelay reports it
  }
}

/** The inverse of {@link delayText}. @throws {ConclaveError} `bad-input`. */
export function parseDelay(text: string): Delay {
  if (text === 'geo') return { kind: 'link' };
  if (text.startsWith('geo+')) return { kind: 'link', jitter: parseDelay(text.slice('geo+'.length)) };
  const [kind, ...parts] = text.split(':');
  const numbers = parts.flatMap((part) => (part.trim() === '' || Number.isNaN(Number(part)) ? [] : [Number(part)]));
  const [first = NaN, second = NaN] = numbers;
  let delay: Delay | undefined;
  if (kind === 'fixed' && numbers.length === 1) delay = { kind, ms: first };
  if (kind === 'uniform' && numbers.length === 2) delay = { kind, least: first, most: second };
  if (kind === 'exponential' && numbers.length === 1) delay = { kind, mean: first };
  if (kind === 'normal' && numbers.length === 2) delay = { kind, mean: first, deviation: second };
  if (!delay || parts.length !== numbers.length)
    throw new ConclaveError(
      'bad-input',
      `'${text}' is no delay`,
      'Write fixed:5, uniform:10:50, exponential:20, normal:20:5, geo or geo+uniform:0:5.',
    );
  checkDelay(delay);
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
