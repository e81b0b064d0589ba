/** The thread of `main.ts` that does what the command line asks. */
import { Writable } from 'node:stream';
import { parentPort, workerData } from 'node:worker_threads';
import { run } from './run.js';

/** What it is started with. */
export interface Thread {
  readonly argv: readonly string[];
  /** Whether stdout is coloured. */
  readonly isTTY: boolean;
  readonly debug: boolean;
  /** How wide the terminal is that progress is drawn on; absent where there is none. */
  readonly columns?: number;
  /** How often the user has pressed Ctrl-C. */
  readonly interrupts: Int32Array;
}

/** What it tells: texts to be written, in their order, and how it ended. */
export type Told = { readonly stdout: string } | { readonly stderr: string } | { readonly exitCode: number };

const { argv, isTTY, debug, columns, interrupts } = workerData as Thread; // what main.ts hands over
const tell = (told: Told) => parentPort?.postMessage(told);

/** The terminal as far as progress needs one. */
const terminal = (width: number): Writable =>
  Object.assign(
    new Writable({
      write: (chunk, _encoding, done) => {
        tell({ stderr: String(chunk) });
        done();
      },
    }),
    { isTTY: true, columns: width },
  );

const exitCode = await run(argv, {
  stdout: (text) => tell({ stdout: text }),
  stderr: (text) => tell({ stderr: text }),
  isTTY,
  debug,
  interrupted: () => Atomics.load(interrupts, 0) > 0,
  ...(columns === undefined ? {} : { terminal: terminal(columns) }),
});
tell({ exitCode });
