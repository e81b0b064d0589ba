import { ConclaveError } from '@conclave/core/protocol';
import { isConclaveError } from '../conclave-error.js';
import { looksLikePath } from '../input/user-module.js';
import { isReplayable } from './trace-file.js';

/** The command that makes the same run again: what the user wrote, with the seed spelled out where there is one. */
export function again(argv: readonly string[], seed?: number): string {
  const seeded = seed === undefined || argv.some((argument) => argument === '--seed' || argument.startsWith('--seed='));
  return commandLine(seeded ? argv : [...argv, '--seed', String(seed)]);
}

/** The arguments without an option that has a value. */
export const withoutOption = (argv: readonly string[], name: string): readonly string[] =>
  argv.filter((argument, index) => argument !== `--${name}` && argv[index - 1] !== `--${name}` && !argument.startsWith(`--${name}=`));

/** The command that replays the trace of `<command> <protocol>`, where it leaves one that can be. */
export function replayCommandFor(protocol: string, { trace, export: exportName }: TraceOptions): string | undefined {
  if (trace === undefined || !isReplayable(trace)) return undefined;
  const own = looksLikePath(protocol) ? ['--protocol', protocol] : [];
  return commandLine(['replay', trace, ...own, ...(exportName === undefined ? [] : ['--export', exportName])]);
}

interface TraceOptions {
  readonly trace?: string | undefined;
  readonly export?: string | undefined;
}

/** The same, leaving the trace if it was not asked for. */
export function againWithTrace(argv: readonly string[], { trace }: TraceOptions, seed?: number): string {
  return again(trace === undefined ? [...argv, '--trace', 'run.trace'] : argv, seed);
}

/** That the trace of `<command> <protocol>` has been written, as `what`. */
export function wroteText(protocol: string, options: TraceOptions, what: string): string {
  const replayed = replayCommandFor(protocol, options);
  return `Wrote ${options.trace} (${what}).${replayed ? ` Replay: ${replayed}` : ''}\n`;
}

/** A machine that breaks the node contract is a mistake of its author: the error tells how to see it again. Other errors stay as they are. */
export function withCommand(error: unknown, command: string): unknown {
  if (!isConclaveError(error, 'unhandled', 'bad-protocol')) return error;
  return new ConclaveError(error.code, error.message.replace(/\.$/, ''), `Again: ${command}`, { cause: error });
}

const commandLine = (argv: readonly string[]): string => ['conclave', ...argv.map(quoted)].join(' ');

/** As a shell reads it. */
const quoted = (argument: string): string => (/^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`);
