import { CommanderError } from '@commander-js/extra-typings';
import { isConclaveError } from '../conclave-error.js';
import type { Session } from '../session.js';

/** An error as the one line that stderr gets (and, with `debug`, its stack). */
export function errorLine(error: unknown, { colours, argv }: Pick<Session, 'colours' | 'argv'>, debug: boolean): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = oneLine(message.replace(/^error: /, ''));
  const stack = debug && error instanceof Error ? `${error.stack}\n` : '';
  return `${colours.red('error:')} ${line}${cureOf(error, argv)}\n${stack}`;
}

/** What a foreign error message says, on one line. */
export const oneLine = (message: string): string => message.trim().replace(/\s*\n\s*/g, ' ');

/** Conclave's own errors, from whichever copy of it, say themselves what to try. */
function cureOf(error: unknown, argv: readonly string[]): string {
  if (error instanceof CommanderError) {
    const [command = ''] = argv;
    const known = error.code !== 'commander.unknownCommand' && !command.startsWith('-');
    return `${/[.)]$/.test(error.message) ? '' : '.'} See conclave ${known ? `${command} ` : ''}--help.`;
  }
  return isConclaveError(error) ? '' : '. This was not foreseen; --debug shows where it comes from.';
}
