/** The limits of a search, and what it leaves open. */
import { getHeapStatistics } from 'node:v8';
import type { Exploration, ExploreOptions } from '@conclave/check';
import { defined } from '../input/options.js';
import { counted, quoted, type Verdict } from '../output/text.js';
import { stopOf } from '../session.js';
import type { Check } from './options.js';

/**
 * Limits from the options. The default limit of memory is the explorer's: most of this machine's.
 */
export function limitsOf({
  session,
  options: { maxStates = Infinity, maxMemory, maxSeconds = Infinity, maxDepth = Infinity },
}: Pick<Check<unknown>, 'session' | 'options'>): NonNullable<ExploreOptions['limits']> {
  return {
    states: maxStates,
    seconds: maxSeconds,
    depth: maxDepth,
    ...defined({ memory: maxMemory }),
    ...stopOf(session),
  };
}

type Limit = NonNullable<Exploration['limit']>;

interface Judged {
  readonly complete: boolean;
  readonly limit?: Limit;
  readonly states: number;
  readonly properties: readonly { readonly name: string; readonly verdict: Verdict }[];
}

/** What a limit left open; undefined when nothing is. */
export function limitText(
  check: Check<unknown>,
  { complete, limit, states, properties }: Judged,
): string | undefined {
  const reached = limit === undefined ? 'the search ended early' : reachedText(check, limit);
  if (!complete)
    return `${reached} with ${counted(states, 'state')} found; nothing is proved to hold.`;
  const open = properties.filter(({ verdict }) => verdict === 'incomplete');
  if (limit === undefined || open.length === 0) return undefined;
  return `not judged: ${quoted(open)}. All states were found, but ${reached} before these were decided.`;
}

/** The limit that was reached, with its option. */
function reachedText(check: Check<unknown>, limit: Limit): string {
  if (limit === 'interrupted') return 'interrupted';
  const { memory, ...others } = limitsOf(check);
  if (limit !== 'memory') return `--max-${limit} ${others[limit]} was reached`;
  if (memory !== undefined && memory * 2 ** 20 < getHeapStatistics().heap_size_limit)
    return `--max-memory ${memory} was reached`;
  const what =
    memory === undefined ? 'most of the memory of this machine' : `--max-memory ${memory}`;
  return `${what} was reached, or the end of the heap (node --max-old-space-size),`;
}

interface Finding {
  readonly name: string;
  readonly verdict: Verdict;
  readonly trace?: { readonly header: ReadonlyMap<string, string> };
  readonly fault?: string;
}

/**
 * Why a complete search left verdicts open; after an unhandled message or a failing action they are
 * open in any case.
 */
export function notJudgedText(findings: readonly Finding[]): string | undefined {
  const open = findings.filter(({ verdict }) => verdict === 'incomplete');
  if (
    open.length === 0 ||
    findings.some(({ trace, fault }) => fault !== undefined || trace?.header.has('fault'))
  )
    return undefined;
  return `not judged: ${quoted(open)}. With --partition, messages across a cut are not counted; leave that out, or check properties of states only, with --safety.`;
}
