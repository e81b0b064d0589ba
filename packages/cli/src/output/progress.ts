import { SingleBar } from 'cli-progress';
import type { Session } from '../session.js';

/** Runs shorter than this show no progress. */
const patienceMs = 2000;

/** One line of progress on the terminal. When a run will end is not known in advance, so it counts instead of filling a bar. */
export class Progress {
  readonly #startedAt = performance.now();
  #bar: SingleBar | undefined;

  constructor(private readonly session: Pick<Session, 'terminal'>) {}

  /** To be called now and then during the run; `line` is told the seconds it has taken so far. */
  show(line: (seconds: number) => string): void {
    const { terminal } = this.session;
    const elapsedMs = performance.now() - this.#startedAt;
    if (!terminal || elapsedMs < patienceMs) return;
    const shown = { line: line(elapsedMs / 1000) };
    if (this.#bar) this.#bar.update(0, shown);
    else this.#bar = begun(terminal, shown);
  }

  /** Wipes the line. */
  stop(): void {
    this.#bar?.stop();
  }
}

function begun(stream: NodeJS.WritableStream, shown: { readonly line: string }): SingleBar {
  // A run does not yield, so Ctrl-C must end the process by itself: no handler of the bar's own, no terminal mode to be reset.
  const bar = new SingleBar({ format: '{line}', stream, clearOnComplete: true, gracefulExit: false, linewrap: true });
  bar.start(0, 0, shown);
  return bar;
}
