import { writeSync } from 'node:fs';
import pc from 'picocolors';
import { run } from './run.js';

// `conclave list | head -1` closes the pipe early; that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// A module of the user's own may end the process while it is asked: that must not pass for a check that found nothing.
let isOver = false;
process.on('exit', (code) => {
  if (isOver || code === 130) return; // 130: by Ctrl-C
  writeSync(2, 'error: The process ended before its answer: a module called process.exit, or failed outside of what it was asked.\n');
  process.exitCode = 2;
});

const exitCode = await run(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  isTTY: process.stdout.isTTY === true && pc.isColorSupported,
  debug: Boolean(process.env.CONCLAVE_DEBUG),
  ...(process.stderr.isTTY ? { terminal: process.stderr } : {}),
});
isOver = true;
process.exitCode = exitCode;
