import type { createColors } from 'picocolors';

/** What the command needs of the world around it; tests bring their own. */
export interface Io {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether a person reads stdout: then it is coloured. */
  readonly isTTY: boolean;
  /** Where the progress of a long run is drawn; nowhere when absent. */
  readonly terminal?: NodeJS.WritableStream;
  /** Whether errors show their stack, as with `--debug`. */
  readonly debug?: boolean;
}

/** 0 fine, 1 a property violated or a replay that diverged, 2 a usage or input error, or a check that a limit left incomplete. */
type ExitCode = 0 | 1 | 2;

/** One call of `conclave`, as its commands see it. */
export interface Session extends Io {
  readonly argv: readonly string[];
  readonly colours: ReturnType<typeof createColors>;
  exitCode: ExitCode;
}

/** Tells on stderr what a person should know about a run before it begins. */
export function remark({ stderr, colours }: Session, note: string | undefined, warnings: readonly string[]): void {
  if (note !== undefined) stderr(`note: ${note}\n`);
  for (const warning of warnings) stderr(`${colours.yellow('warning:')} ${warning}\n`);
}

/** Writes what a command found: with `--json` one JSON value and nothing else. */
export function answer(session: Session, asJson: boolean | undefined, value: unknown, text: () => string): void {
  session.stdout(asJson ? `${JSON.stringify(value, null, 2)}\n` : text());
}
