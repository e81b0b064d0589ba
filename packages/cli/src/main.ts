import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import pc from 'picocolors';
import { newerSource, version } from './installation.js';
import type { ThreadData, ThreadMessage } from './thread.js';

// A search never yields, and Node delivers signals to its main thread only. So the command runs in
// a worker thread (`thread.ts`), which reads regularly, in shared memory, whether it was
// interrupted. The main thread writes what the worker posts, and listens for Ctrl-C.
const { stdout, stderr } = process;
const argv = process.argv.slice(2);
const isTTY = stdout.isTTY === true && pc.isColorSupported;
let exitCode: number | undefined;
let isWritable = true;

/** Says on stderr why there is no answer, or none that can be read. */
function fail(why: string): void {
  exitCode = 2;
  process.exitCode = 2;
  stderr.write(`${pc.createColors(isTTY).red('error:')} ${why}\n`);
}

/**
 * `conclave list | head -1` closes the pipe early; that is no error. A full disk is one, and is
 * reported once.
 */
function writeFailed(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || !isWritable) return;
  isWritable = false;
  fail(`The answer cannot be written: ${error.message}. Is there space where stdout goes?`);
}

function write(text: string): void {
  try {
    stdout.write(text); // a file throws at once, a pipe reports later
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    writeFailed(error);
  }
}

stdout.on('error', writeFailed);
// it needs neither what was built nor a thread
if (argv.length === 1 && /^(--version|-V)$/.test(argv.join())) write(`${version}\n`);
else runInThread();

function runInThread(): void {
  const interrupts = new Int32Array(new SharedArrayBuffer(4));
  const debug = Boolean(process.env.CONCLAVE_DEBUG);
  const data: ThreadData = {
    ...{ argv, isTTY, debug, interrupts },
    ...(stdout.isTTY ? { width: stdout.columns } : {}),
    ...(stderr.isTTY ? { columns: stderr.columns } : {}),
  };
  const thread = new Worker(new URL('./node/thread.js', import.meta.url), { workerData: data });

  // the thread starts meanwhile, and has written nothing yet
  const newer = newerSource(fileURLToPath(new URL('../../', import.meta.url)));
  if (newer !== undefined) {
    fail(`${newer} is newer than what was built of it. Build first: npm run build.`);
    process.exit(2);
  }
  let next = 'the results so far follow';
  thread.on('message', (message: ThreadMessage) => {
    if ('exitCode' in message) exitCode = isWritable ? message.exitCode : 2;
    else if ('whenInterrupted' in message) next = message.whenInterrupted;
    else if ('stderr' in message) stderr.write(message.stderr);
    else write(message.stdout);
  });
  thread.on('error', (error) =>
    fail(
      `${error.message.replaceAll('\n', ' ')}. This error was not expected${debug ? `:\n${error.stack}` : '; CONCLAVE_DEBUG=1 shows more.'}`,
    ),
  );
  thread.on('exit', () => {
    if (exitCode === undefined)
      fail(
        'The command ended without an answer. Does a module call process.exit, or await something that never happens?',
      );
    process.exitCode = exitCode ?? 2;
  });
  // a container is stopped by SIGTERM
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => interrupt(interrupts, next));
}

/** @param next what follows, in words */
function interrupt(interrupts: Int32Array, next: string): void {
  if (Atomics.add(interrupts, 0, 1) > 0) process.exit(130);
  const newLine = stderr.isTTY ? '\n' : ''; // progress may be on this line
  stderr.write(`${newLine}interrupted: ${next}; Ctrl-C once more stops at once.\n`);
}
