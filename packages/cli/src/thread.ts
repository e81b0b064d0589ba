/** The worker thread of `main.ts`, which runs the command. */
import { Writable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import { openInBrowser } from './browser.js';
import { run } from './run.js';

/** What `main.ts` starts it with. */
export interface ThreadData {
  readonly argv: readonly string[];
  /** Whether stdout is coloured. */
  readonly isTTY: boolean;
  readonly debug: boolean;
  /** The width of stdout, where it is a terminal. */
  readonly width?: number;
  /** The width of the terminal that progress is drawn on; absent where there is none. */
  readonly columns?: number;
  /** How often the user has pressed Ctrl-C. */
  readonly interrupts: Int32Array;
}

/**
 * What it posts to `main.ts`: texts to write, in their order, what follows an interruption, and
 * finally the exit code.
 */
export type ThreadMessage =
  | { readonly stdout: string }
  | { readonly whenInterrupted: string }
  | { readonly stderr: string }
  | { readonly exitCode: number };

// main.ts passes exactly this
const { argv, isTTY, debug, width, columns, interrupts } = workerData as ThreadData;
const post = (message: ThreadMessage) => parentPort?.postMessage(message);

/** A terminal with what progress needs of one. */
const terminal = (width: number): Writable =>
  Object.assign(
    new Writable({
      write: (chunk, _encoding, done) => {
        post({ stderr: String(chunk) });
        done();
      },
    }),
    { isTTY: true, columns: width },
  );

const exitCode = await run(argv, {
  stdout: (text) => post({ stdout: text }),
  stderr: (text) => post({ stderr: text }),
  isTTY,
  debug,
  openInBrowser,
  interrupted: () => Atomics.load(interrupts, 0) > 0,
  whenInterrupted: (whenInterrupted) => post({ whenInterrupted }),
  ...(width === undefined ? {} : { width }),
  ...(columns === undefined ? {} : { terminal: terminal(columns) }),
});
post({ exitCode });
