/** The files that a command writes, traces and graphs, and the commands that repeat a run. */
import { accessSync, constants, writeFileSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import type { Expectation, ExpectedOptions } from '@conclave/check';
import { readableLines } from '@conclave/core/internal/trace';
import { ConclaveError, type Protocol } from '@conclave/core/protocol';
import {
  sequenceDiagram,
  shivizLog,
  spaceTimeSvg,
  type Trace,
  traceText,
} from '@conclave/core/trace';
import { attempt, badInput, isConclaveError } from '../errors.js';
import { looksLikePath } from '../input/module.js';

interface Format {
  readonly what: string;
  readonly write: (trace: Trace) => string;
}

const text: Format = { what: 'trace', write: traceText };

const byEnding: Readonly<Record<string, Format>> = {
  '.animated.svg': {
    what: 'space-time diagram that moves',
    write: (trace) => spaceTimeSvg(trace, { animated: true }),
  },
  '.svg': { what: 'space-time diagram', write: (trace) => spaceTimeSvg(trace) },
  '.mmd': { what: 'Mermaid sequence diagram', write: sequenceDiagram },
  '.shiviz': { what: 'ShiViz log', write: shivizLog },
};

/**
 * Of its longest ending that is known.
 * @throws {ConclaveError} `bad-input` for another ending, whose programs could not read a trace.
 */
function formatOf(path: string): Format {
  const known = Object.entries(byEnding).find(([ending]) => path.endsWith(ending))?.[1];
  if (known) return known;
  if (['', '.', '.trace', '.txt'].includes(extname(path))) return text;
  throw badInput(
    `No trace is a ${extname(path)} file: '${path}'`,
    `Give a name that ends in .trace or .txt, ${Object.keys(byEnding).join(', ')}.`,
  );
}

interface TraceOptions {
  readonly trace?: string;
  readonly export?: string;
}

/**
 * So that a long run does not end with a trace or a graph that cannot be written.
 * @throws {ConclaveError} `bad-input`.
 */
export function requireWritable(files: { readonly trace?: string; readonly graph?: string }): void {
  if (files.trace !== undefined) formatOf(files.trace);
  for (const what of ['trace', 'graph'] as const) {
    const path = files[what];
    if (path !== undefined)
      attempt(`The ${what} cannot be written to '${path}'`, () =>
        accessSync(dirname(path), constants.W_OK),
      );
  }
}

/**
 * Writes the trace of `<command> <name>` where `--trace` asks for it, in the format of the
 * file's ending, and says so. Empty without `--trace`.
 *
 * @throws {ConclaveError} `bad-input`.
 */
export function writeTrace(
  name: string,
  options: TraceOptions,
  trace: Trace | undefined,
  protocol: Pick<Protocol, 'drawn'> = {},
): string {
  const path = options.trace;
  if (path === undefined) return '';
  if (!trace) return `There is no counterexample, so ${path} was not written.\n`;
  const { what, write } = formatOf(path);
  const lines = write === traceText ? trace.lines : readableLines(protocol, trace.lines);
  const text = write({ ...trace, lines });
  attempt(`The trace cannot be written to '${path}'`, () => writeFileSync(path, text));
  const replay = replayCommandFor(name, options);
  return `Wrote ${path} (${what}).${replay ? ` Replay: ${replay}` : ''}\n`;
}

/**
 * The command that replays the trace of `<command> <protocol>`; undefined where its format cannot
 * be replayed.
 */
export function replayCommandFor(
  protocol: string,
  { trace, export: exportName }: TraceOptions,
): string | undefined {
  if (trace === undefined || formatOf(trace) !== text) return undefined;
  const own = looksLikePath(protocol) ? ['--protocol', protocol] : [];
  return commandLine([
    'replay',
    trace,
    ...own,
    ...(exportName === undefined ? [] : ['--export', exportName]),
  ]);
}

/**
 * The line that says how to look at the trace of `<command> <protocol>` in the studio; empty where
 * its format is only for other tools.
 */
export function lookAtTrace(protocol: string, options: TraceOptions): string {
  const { trace, export: exportName } = options;
  if (trace === undefined || replayCommandFor(protocol, options) === undefined) return '';
  const own = looksLikePath(protocol)
    ? [protocol, ...(exportName === undefined ? [] : ['--export', exportName])]
    : [];
  return `Look: ${commandLine(['studio', ...own, '--trace', trace])}\n`;
}

/**
 * The command that repeats a run: what the user wrote, with the seed spelled out where there is
 * one.
 */
export function again(argv: readonly string[], seed?: number): string {
  const seeded =
    seed === undefined ||
    argv.some((argument) => argument === '--seed' || argument.startsWith('--seed='));
  return commandLine(seeded ? argv : [...argv, '--seed', String(seed)]);
}

/** A line with the command that repeats a run and writes its trace. */
export const againLine = (
  argv: readonly string[],
  { trace }: TraceOptions,
  seed?: number,
): string =>
  `Again: ${again(trace === undefined ? [...argv, '--trace', 'run.trace'] : argv, seed)}\n`;

/** The arguments without an option that has a value. */
export const withoutOption = (argv: readonly string[], name: string): readonly string[] =>
  argv.filter(
    (argument, index) =>
      argument !== `--${name}` &&
      argv[index - 1] !== `--${name}` &&
      !argument.startsWith(`--${name}=`),
  );

/** The arguments without this flag. */
export const withoutFlag = (argv: readonly string[], name: string): readonly string[] =>
  argv.filter((argument) => argument !== `--${name}`);

/**
 * Does `act`. A machine that breaks the node contract is a mistake of its author: then the error
 * also says how to repeat the run.
 */
export function repeatable<T>(command: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!isConclaveError(error, 'unhandled', 'bad-protocol')) throw error;
    throw new ConclaveError(error.code, error.message.replace(/\.$/, ''), `Again: ${command}`, {
      cause: error,
    });
  }
}

/** A command as a shell reads it. */
export const commandLine = (argv: readonly string[]): string =>
  ['npx conclave', ...argv.map(shellWord)].join(' ');

/** As a shell reads it. */
export const shellWord = (argument: string): string =>
  /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;

// The explored graph, for other model checkers.

type GraphFormat = NonNullable<ExpectedOptions['graph']>;

const graphFormats: Readonly<Record<string, GraphFormat>> = { '.drn': 'drn', '.tra': 'prism' };

/**
 * The format of the file that `--graph` names, if it is given.
 * @throws {ConclaveError} `bad-input` for an ending that says none.
 */
export function graphFormatOf(path: string | undefined): GraphFormat | undefined {
  if (path === undefined) return undefined;
  const format = graphFormats[extname(path)];
  if (format !== undefined) return format;
  throw badInput(
    `The format of the graph '${path}' is unknown`,
    'Give a file that ends in .drn, for Storm, or in .tra, for PRISM.',
  );
}

/**
 * Writes the files, all beside the one that `--graph` names, and returns their paths; none without
 * texts.
 * @throws {ConclaveError} `bad-input`.
 */
export function writeGraph(path: string, texts: Expectation['graph'] = {}): readonly string[] {
  const stem = path.slice(0, -extname(path).length);
  return Object.entries(texts).map(([ending, text]) => {
    const file = `${stem}${ending}`;
    attempt(`The graph cannot be written to '${file}'`, () => writeFileSync(file, text));
    return file;
  });
}

/** That they were written, and how the other tool reads them. */
export function graphNote(paths: readonly string[]): string {
  const [first] = paths;
  if (first === undefined) return '';
  const command =
    extname(first) === '.drn'
      ? `storm --explicit-drn ${first} --exact`
      : `prism -importmodel ${first.replace(/\.tra$/, '.all')} -mdp`;
  return `Wrote ${paths.map((path) => basename(path)).join(', ')}: ${command}\n`;
}
