import { Worker } from 'node:worker_threads';
import pc from 'picocolors';
import type { Thread, Told } from './command-thread.js';
import { oneLine } from './output/error-line.js';

// A search never yields, and Node hears signals on its first thread only. So the command has a thread of its own (`command-thread.ts`), which
// asks now and then, in shared memory, whether it was interrupted. This one writes what it is told, and listens for Ctrl-C.
const interrupts = new Int32Array(new SharedArrayBuffer(4));
const { stdout, stderr } = process;
const data: Thread = {
  argv: process.argv.slice(2),
  isTTY: stdout.isTTY === true && pc.isColorSupported,
  debug: Boolean(process.env.CONCLAVE_DEBUG),
  ...(stderr.isTTY ? { columns: stderr.columns } : {}),
  interrupts,
};
const thread = new Worker(new URL('./command-thread.js', import.meta.url), { workerData: data });
let exitCode: number | undefined;
let isWritten = true;

/** Says on stderr why there is no answer, or none that can be read. */
function fail(what: string): void {
  exitCode = 2;
  stderr.write(`${pc.createColors(data.isTTY).red('error:')} ${oneLine(what)}\n`);
}

/** `conclave list | head -1` closes the pipe early; that is no error. A full disk is one, and is told once. */
function unwritable(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || !isWritten) return;
  isWritten = false;
  fail(`The answer cannot be written: ${error.message}. Is there room where stdout goes?`);
  process.exitCode = 2;
}

stdout.on('error', unwritable);
thread.on('message', (told: Told) => {
  if ('exitCode' in told) exitCode = isWritten ? told.exitCode : 2;
  else if ('stderr' in told) stderr.write(told.stderr);
  else {
    try {
      stdout.write(told.stdout); // a file throws at once, a pipe tells later
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      unwritable(error);
    }
  }
});
thread.on('error', (error) =>
  fail(`${error.message}. This was not foreseen${data.debug ? `:\n${error.stack}` : '; CONCLAVE_DEBUG=1 shows more.'}`),
);
thread.on('exit', () => {
  if (exitCode === undefined) fail('The command ended without an answer. Does a module call process.exit, or wait for what never comes?');
  process.exitCode = exitCode ?? 2;
});
process.on('SIGINT', () => {
  if (Atomics.add(interrupts, 0, 1) > 0) process.exit(130);
  const newLine = stderr.isTTY ? '\n' : ''; // progress may stand on this one
  stderr.write(`${newLine}interrupted: what was found so far comes next; Ctrl-C once more ends at once.\n`);
});
