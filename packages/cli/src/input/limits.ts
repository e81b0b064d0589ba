import { getHeapStatistics } from 'node:v8';
import type { Exploration, Limits } from '@conclave/core/exploration';
import type { Verdict } from '@conclave/core/protocol';
import { counted } from '../output/numbers.js';
import { type Session, stopOf } from '../session.js';
import type { CheckOptions } from './check-options.js';

type Limit = NonNullable<Exploration['limit']>;

/** Where a search stops short. Without a limit of its own, memory has the explorer's: most of this machine's. */
export function limitsOf(
  { maxStates = Infinity, maxMemory, maxSeconds = Infinity, maxDepth = Infinity }: CheckOptions,
  session: Session,
): Limits {
  const memory = maxMemory === undefined ? {} : { memory: maxMemory };
  return { states: maxStates, seconds: maxSeconds, depth: maxDepth, ...memory, ...stopOf(session) };
}

const optionOf: Readonly<Record<Exclude<Limit, 'interrupted'>, string>> = {
  states: '--max-states',
  memory: '--max-memory',
  seconds: '--max-seconds',
  depth: '--max-depth',
};

/** The limit that was reached, as the options say it. */
function reachedText(limit: Limit, limits: Limits): string {
  if (limit === 'interrupted') return 'interrupted';
  if (limit !== 'memory') return `${optionOf[limit]} ${limits[limit]} was reached`;
  const { memory } = limits;
  if (memory !== undefined && memory * 2 ** 20 < getHeapStatistics().heap_size_limit) return `--max-memory ${memory} was reached`;
  const asked = memory === undefined ? 'most of the memory of this machine' : `--max-memory ${memory}`;
  return `${asked} was reached, or the end of the heap (node --max-old-space-size),`;
}

interface Stopped {
  readonly complete: boolean;
  readonly limit?: Limit;
  readonly states: number;
}

/** What stopped a search; undefined when it came to its end. */
export function stoppedText({ complete, limit, states }: Stopped, limits: Limits): string | undefined {
  if (complete) return undefined;
  const reached = limit === undefined ? 'the search ended early' : reachedText(limit, limits);
  return `${reached} with ${counted(states, 'state')} found; nothing is proved to hold.`;
}

/** What a limit left open although all states were found; undefined when nothing is. */
export function openText({ limit, properties }: Judged, limits: Limits): string | undefined {
  if (limit === undefined) return undefined;
  const names = properties.filter(({ verdict }) => verdict === 'incomplete').map(({ name }) => `'${name}'`);
  if (names.length === 0) return undefined;
  return `not judged: ${names.join(', ')}. All states were found, but ${reachedText(limit, limits)} before that was decided.`;
}

interface Judged {
  readonly limit?: Limit;
  readonly properties: readonly { readonly name: string; readonly verdict: Verdict }[];
}
