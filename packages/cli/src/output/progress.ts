import { SingleBar } from 'cli-progress';
import type { Session } from '../session.js';

/** Runs shorter than this show no progress. */
const patienceMs = 2000;

/** One line of progress on the terminal. When a run will end is not known in advance, so it counts instead of filling a bar. */
export class Progress {
  readonly #startedAt = performance.now();
  #bar: SingleBar | undefined;

  constructor(private readonly session: Pick<Session, 'terminal'>) {}

  /** To be called now and then while the simulation runs. */
  show(delivered: number, virtualMs: number): void {
    const { terminal } = this.session;
    if (!terminal || performance.now() - this.#startedAt < patienceMs) return;
    const counts = { delivered: delivered.toLocaleString('en-US'), virtual: (virtualMs / 1000).toFixed(1) };
    if (this.#bar) this.#bar.update(0, counts);
    else this.#bar = begun(terminal, counts);
  }

  /** Wipes the line. */
  stop(): void {
    this.#bar?.stop();
  }
}

function begun(stream: NodeJS.WritableStream, counts: object): SingleBar {
  const format = 'simulating: {delivered} messages, {virtual} s of virtual time';
  // A simulation does not yield, so Ctrl-C must end the process by itself: no handler of the bar's own, no terminal mode to be reset.
  const bar = new SingleBar({ format, stream, clearOnComplete: true, gracefulExit: false, linewrap: true });
  bar.start(0, 0, counts);
  return bar;
}
