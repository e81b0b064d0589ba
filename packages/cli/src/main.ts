import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import pc from 'picocolors';
import { newerSource } from './newer-source.js';
import type { ThreadData, ThreadMessage } from './thread.js';

// A search never yields, and Node delivers signals to its main thread only. So the command runs in
// a worker thread (`thread.ts`), which reads regularly, in shared memory, whether it was
// interrupted. The main thread writes what the worker posts, and listens for Ctrl-C.
const interrupts = new Int32Array(new SharedArrayBuffer(4));
const { stdout, stderr } = process;
const data: ThreadData = {
  argv: process.argv.slice(2),
  isTTY: stdout.isTTY === true && pc.isColorSupported,
  debug: Boolean(process.env.CONCLAVE_DEBUG),
  ...(stdout.isTTY ? { width: stdout.columns } : {}),
  ...(stderr.isTTY ? { columns: stderr.columns } : {}),
  interrupts,
};
const thread = new Worker(new URL('./thread.js', import.meta.url), { workerData: data });
let exitCode: number | undefined;
let isWritable = true;

// the thread starts meanwhile, and has written nothing yet
const newer = newerSource(fileURLToPath(new URL('../../', import.meta.url)));
if (newer !== undefined) {
  fail(`${newer} is newer than what was built of it. Build first: npm run build.`);
  process.exit(2);
}

/** Says on stderr why there is no answer, or none that can be read. */
function fail(why: string): void {
  exitCode = 2;
  stderr.write(`${pc.createColors(data.isTTY).red('error:')} ${why}\n`);
}

/**
 * `conclave list | head -1` closes the pipe early; that is no error. A full disk is one, and is
 * reported once.
 */
function writeFailed(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || !isWritable) return;
  isWritable = false;
  fail(`The answer cannot be written: ${error.message}. Is there space where stdout goes?`);
  process.exitCode = 2;
}

stdout.on('error', writeFailed);
thread.on('message', (message: ThreadMessage) => {
  if ('exitCode' in message) exitCode = isWritable ? message.exitCode : 2;
  else if ('stderr' in message) stderr.write(message.stderr);
  else {
    try {
      stdout.write(message.stdout); // a file throws at once, a pipe reports later
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      writeFailed(error);
    }
  }
});
thread.on('error', (error) =>
  fail(
    `${error.message.replaceAll('\n', ' ')}. This error was not expected${data.debug ? `:\n${error.stack}` : '; CONCLAVE_DEBUG=1 shows more.'}`,
  ),
);
thread.on('exit', () => {
  if (exitCode === undefined)
    fail(
      'The command ended without an answer. Does a module call process.exit, or await something that never happens?',
    );
  process.exitCode = exitCode ?? 2;
});

/** A container is stopped by SIGTERM. */
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, interrupt);

function interrupt(): void {
  if (Atomics.add(interrupts, 0, 1) > 0) process.exit(130);
  const newLine = stderr.isTTY ? '\n' : ''; // progress may be on this line
  const next = data.argv[0] === 'lock' ? 'its command gets SIGTERM' : 'the results so far follow';
  stderr.write(`${newLine}interrupted: ${next}; Ctrl-C once more stops at once.\n`);
}
