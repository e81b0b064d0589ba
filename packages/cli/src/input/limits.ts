import { totalmem } from 'node:os';
import type { Limit, Limits } from '@conclave/core/exploration';
import { counted } from '../output/numbers.js';
import { type Session, stopOf } from '../session.js';
import type { CheckOptions } from './check-options.js';

/** Where a search stops short. Without a limit of its own, memory has the machine's. */
export function limitsOf(
  { maxStates = Infinity, maxMemory = mostMemory(), maxSeconds = Infinity, maxDepth = Infinity }: CheckOptions,
  session: Session,
): Limits {
  return { states: maxStates, memory: maxMemory, seconds: maxSeconds, depth: maxDepth, ...stopOf(session) };
}

/** Beyond that the machine would start to swap, or the search end in the middle of a state. */
const mostMemory = (): number => Math.floor((0.75 * totalmem()) / 2 ** 20);

const optionOf: Readonly<Record<Exclude<Limit, 'interrupted'>, string>> = {
  states: '--max-states',
  memory: '--max-memory',
  seconds: '--max-seconds',
  depth: '--max-depth',
};

interface Stopped {
  readonly complete: boolean;
  readonly limit?: Limit;
  readonly states: number;
}

/** What stopped a search; undefined when it came to its end. */
export function stoppedText({ complete, limit, states }: Stopped, limits: Limits): string | undefined {
  if (complete) return undefined;
  return `${reachedText(limit, limits)} with ${counted(states, 'state')} found; nothing is proved to hold.`;
}

function reachedText(limit: Limit | undefined, limits: Limits): string {
  if (limit === undefined) return 'the search ended early';
  return limit === 'interrupted' ? 'interrupted' : `${optionOf[limit]} ${limits[limit]} was reached`;
}
