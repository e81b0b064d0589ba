import type { ConclaveError } from '@conclave/core/protocol';
import { say } from '../texts/say.js';

/** What went wrong, in which line, from 1, and what to try. */
export interface Problem {
  readonly line?: number | undefined;
  readonly what: string;
  readonly cure: string;
}

/** That something has not ended within so many milliseconds. */
export const late = (what: string, ms: number): Problem => ({
  what: say('Stopped: {what} has not ended within {seconds} s', { what, seconds: ms / 1000 }),
  cure: say('Is there a loop without an end?'),
});

export function problemOf({ code, what, cure, cause }: ConclaveError): Problem {
  const [, line, rest = what] = /^Line (\d+): (.*)$/s.exec(what) ?? [];
  const why = code === 'aborted' && typeof cause === 'string' && cause.replace(/^Uncaught /, '');
  return { line: line ? Number(line) : undefined, what: why || rest, cure: why ? '' : cure };
}
