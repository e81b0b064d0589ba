import type { createColors } from 'picocolors';

/** What the command needs of the world around it; tests bring their own. */
export interface Io {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether a person reads stdout: then it is coloured. */
  readonly isTTY: boolean;
  /** Where the progress of a long run is drawn; nowhere when absent. */
  readonly terminal?: NodeJS.WritableStream;
  /** Whether the user has asked to stop: a search, walks or a simulation ask this now and then, and answer with what they have. */
  readonly interrupted?: () => boolean;
  /** Whether errors show their stack, as with `--debug`. */
  readonly debug?: boolean;
}

/** 0 fine, 1 a property violated or a replay that diverged, 2 a usage or input error, or what a limit left incomplete; 130 what the user interrupted. */
type ExitCode = 0 | 1 | 2 | 130;

/** One call of `conclave`, as its commands see it. */
export interface Session extends Io {
  readonly argv: readonly string[];
  readonly colours: ReturnType<typeof createColors>;
  exitCode: ExitCode;
}

/** What a search, walks or a simulation ask whether to stop; nothing where nobody can interrupt them. */
export const stopOf = ({ interrupted }: Session): { readonly stop?: () => boolean } => (interrupted ? { stop: interrupted } : {});

/** Tells on stderr what a person should know about a run before it begins. */
export function remark({ stderr, colours }: Session, note: string | undefined, warnings: readonly string[]): void {
  if (note !== undefined) stderr(`note: ${note}\n`);
  for (const warning of warnings) stderr(`${colours.yellow('warning:')} ${warning}\n`);
}

/** Writes what a command found: with `--json` one JSON value and nothing else. */
export function answer(session: Session, asJson: boolean | undefined, value: unknown, text: () => string): void {
  session.stdout(asJson ? `${JSON.stringify(value, null, 2)}\n` : text());
}
