import { createRequire } from 'node:module';
import type { SingleBar } from 'cli-progress';
import type { createColors } from 'picocolors';
import type { Part } from './shards/identity.js';

const require = createRequire(import.meta.url);

/** What the command needs from its surroundings; tests provide their own. */
export interface Io {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether a person reads stdout: then it is coloured. */
  readonly isTTY: boolean;
  /** How many characters a line of stdout has, where that is a terminal. */
  readonly width?: number;
  /** Where the progress of a long run is drawn; nowhere when absent. */
  readonly terminal?: NodeJS.WritableStream;
  /**
   * Whether the user has asked to stop. A search, walks or a simulation call this regularly, and
   * report what they have when it is true.
   */
  readonly interrupted?: () => boolean;
  /** What the user is told to expect who interrupts the command, if that is not its results. */
  readonly whenInterrupted?: (next: string) => void;
  /**
   * Opens a page in the user's browser; false where none could be started. Nothing is opened when
   * absent.
   */
  readonly openInBrowser?: (url: string) => Promise<boolean>;
  /**
   * The time in milliseconds, for a check that uses the time it is given. Default: that of this
   * process.
   */
  readonly clock?: () => number;
  /** Whether errors show their stack, as with `--debug`. */
  readonly debug?: boolean;
}

/**
 * 0 fine, 1 a property violated or a replay that diverged, 2 a usage or input error, or an
 * incomplete result; 130 interrupted by the user. `conclave lock` has that of its command.
 */
export type ExitCode = number;

/** One call of `conclave`, as its commands see it. */
export interface Session extends Io {
  readonly argv: readonly string[];
  readonly colours: ReturnType<typeof createColors>;
  exitCode: ExitCode;
  /** What the shards of this command have found, which is then not computed again. */
  readonly parts?: readonly Part[];
  /** Runs another command line with such parts. */
  readonly rerun: (argv: readonly string[], parts: readonly Part[]) => Promise<ExitCode>;
}

/**
 * The stop option of a search, of walks or of a simulation; absent where the user cannot interrupt.
 */
export const stopOf = ({ interrupted }: Session): { readonly stop?: () => boolean } =>
  interrupted ? { stop: interrupted } : {};

/** How many seconds have passed since this call, by the clock of the session. */
export function stopwatch({ clock = () => performance.now() }: Session): () => number {
  const started = clock();
  return () => (clock() - started) / 1000;
}

/** Writes to stderr what a person should know about a run before it begins. */
export function remark(
  { stderr, colours }: Session,
  note: string | undefined,
  warnings: readonly string[],
): void {
  if (note !== undefined) stderr(`note: ${note}\n`);
  for (const warning of warnings) stderr(`${colours.yellow('warning:')} ${warning}\n`);
}

/** Writes what a command found: with `--json` one JSON value and nothing else. */
export function answer(
  session: Session,
  asJson: boolean | undefined,
  value: unknown,
  text: () => string,
): void {
  session.stdout(asJson ? `${JSON.stringify(value, null, 2)}\n` : text());
}

/** Repeats on stderr why the result is incomplete, unless a terminal has just shown it. */
export function complain(
  { exitCode, stderr, colours, isTTY }: Session,
  incomplete: string | undefined,
): void {
  if (!isTTY && incomplete !== undefined && (exitCode === 2 || exitCode === 130))
    stderr(`${colours.yellow('incomplete:')} ${incomplete}\n`);
}

/** Runs shorter than this show no progress. */
const silentMs = 2000;

type Show = (line: (seconds: number) => string, part?: number) => void;

/** A line of progress on the terminal; with a `part` from 0 to 1 of all work, a bar before it. */
function progressOn({ terminal }: Pick<Session, 'terminal'>): {
  readonly show: Show;
  readonly stop: () => void;
} {
  const startedAt = performance.now();
  let bar: SingleBar | undefined;
  const show: Show = (line, part) => {
    const elapsedMs = performance.now() - startedAt;
    if (!terminal || elapsedMs < silentMs) return;
    const shown = { line: line(elapsedMs / 1000) };
    if (bar) return bar.update(part ?? 0, shown);
    // most runs are too short for it
    const { SingleBar }: typeof import('cli-progress') = require('cli-progress');
    const format = part === undefined ? '{line}' : '{bar} {line}';
    // A run does not yield, so Ctrl-C must end the process by itself: the bar installs no handler
    // and changes no terminal mode.
    bar = new SingleBar({
      format,
      stream: terminal,
      barsize: 20,
      clearOnComplete: true,
      gracefulExit: false,
      linewrap: true,
    });
    bar.start(part === undefined ? 0 : 1, part ?? 0, shown);
  };
  return { show, stop: () => bar?.stop() };
}

/**
 * Does `work`, which calls `show` regularly. The end of a run is not known in advance, so the line
 * counts instead of filling a bar.
 */
export function withProgress<T>(session: Pick<Session, 'terminal'>, work: (show: Show) => T): T {
  const { show, stop } = progressOn(session);
  try {
    return work(show);
  } finally {
    stop();
  }
}

/** The same for work of several threads. */
export async function withProgressOf<T>(
  session: Pick<Session, 'terminal'>,
  work: (show: Show) => Promise<T>,
): Promise<T> {
  const { show, stop } = progressOn(session);
  try {
    return await work(show);
  } finally {
    stop();
  }
}
