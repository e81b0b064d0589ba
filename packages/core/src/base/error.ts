/**
 * The one error of Conclave: `message` says what is wrong, where, and what to try.
 *
 * @example try { topology('ring:1') } catch (error) { if (error instanceof ConclaveError)
 * console.error(error.message) }
 */
export class ConclaveError extends Error {
  override readonly name = 'ConclaveError';

  constructor(
    /**
     * The kind of mistake; stable across versions, for programs to branch on. docs/errors.md has
     * the table of what to do about each.
     */
    readonly code:
      | 'bad-input' // an argument, option or file that makes no sense
      | 'bad-protocol' // a definition or machine that breaks the node contract
      | 'impure' // a step or a property that changes what it is given, or asks a clock or chance
      | 'bad-topology' // a network that cannot exist, or not the one a protocol needs
      | 'bad-trace' // a trace that cannot be read
      | 'diverged' // a replay that took another course than its trace
      | 'unhandled' // an event no transition of the current state takes
      | 'assumption' // a channel that gives less than a protocol assumes
      | 'aborted' // the caller's own signal ended the wait
      | 'timed-out' // nothing came within the time the caller allowed
      | 'closed' // used after it was disposed
      | 'refused' // peers do not take this node, or this node does not take what arrived
      | 'lost' // what the caller had is not its own any longer
      | 'unavailable', // a disk, a store or a medium that cannot be used now
    /** What is wrong, and where; without the cure. */
    readonly what: string,
    /** What to try; appended to the message. */
    readonly cure: string = '',
    options?: ErrorOptions,
  ) {
    super(cure ? `${what}. ${cure}` : what, options);
  }
}

// every module imports this one; without it, an old Node.js fails where a method is missing
if (typeof Array.prototype.toReversed !== 'function')
  throw new ConclaveError(
    'bad-input',
    'Conclave needs Node.js 20.19, or a browser of 2023, or later',
  );

/** The error for an argument, option or file that makes no sense. */
export const badInput = (what: string, cure?: string, options?: ErrorOptions): ConclaveError =>
  new ConclaveError('bad-input', what, cure, options);

/**
 * Writes to `console.error`: what Conclave says in one line, without a stack; what nobody foresaw,
 * or what another error has caused, with all that is known of it.
 */
export const printError = (error: unknown): void =>
  console.error(
    error instanceof ConclaveError && error.cause === undefined
      ? `${error.name} (${error.code}): ${error.message}`
      : error,
  );

/** The candidate nearest to `word` by edit distance, if it is near enough to be what was meant. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((a, b) => a.distance - b.distance);
  const [best] = ranked;
  return best && best.distance <= Math.max(2, word.length / 3) ? best.candidate : undefined;
}

/** Levenshtein: how many characters to insert, delete or replace. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
