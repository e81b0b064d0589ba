import { ConclaveError } from '@conclave/core/protocol';
import { CommanderError } from 'commander';
import type { Session } from './session.js';

/**
 * Whether `error` is one of Conclave's own and, where `codes` are given, has one of them. Its shape
 * decides: a user's module may bring another copy of the class.
 */
export function isConclaveError(
  error: unknown,
  ...codes: readonly ConclaveError['code'][]
): error is ConclaveError {
  if (!(error instanceof Error && error.name === 'ConclaveError' && 'code' in error)) return false;
  return codes.length === 0 || codes.some((code) => code === error.code);
}

/** The message of a foreign error, on one line. */
export const oneLine = (message: string): string => message.trim().replace(/\s*\n\s*/g, ' ');

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** The error for something wrong with what the user gave: what, and what to try. */
export const badInput = (what: string, cure = '', cause?: unknown): ConclaveError =>
  new ConclaveError('bad-input', what, cure, ...(cause === undefined ? [] : [{ cause }]));

/**
 * Does `act`. Where that fails, the error says `what` failed and why.
 * @throws {ConclaveError} `bad-input`.
 */
export function attempt<T>(what: string, act: () => T, cure = ''): T {
  try {
    return act();
  } catch (error) {
    throw badInput(`${what}: ${oneLine(messageOf(error))}`, cure, error);
  }
}

/** An error as the one line that stderr gets (and, with `debug`, its stack). */
export function errorLine(
  error: unknown,
  { colours, argv }: Pick<Session, 'colours' | 'argv'>,
  debug: boolean,
): string {
  const stack = debug && error instanceof Error ? `${error.stack}\n` : '';
  return `${colours.red('error:')} ${oneLine(messageOf(error).replace(/^error: /, ''))}${cureOf(error, argv)}\n${stack}`;
}

/** What to try; Conclave's own errors, from any copy of it, say it themselves. */
function cureOf(error: unknown, [command = '']: readonly string[]): string {
  if (error instanceof CommanderError) {
    const known = error.code !== 'commander.unknownCommand' && !command.startsWith('-');
    return `${/[.)]$/.test(error.message) ? '' : '.'} See conclave ${known ? `${command} ` : ''}--help.`;
  }
  return isConclaveError(error)
    ? ''
    : '. This error was not expected; --debug shows where it comes from.';
}
