import pc from 'picocolors';
import { run } from './run.js';

// `conclave list | head -1` closes the pipe early; that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

process.exitCode = await run(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  isTTY: process.stdout.isTTY === true && pc.isColorSupported,
  debug: Boolean(process.env.CONCLAVE_DEBUG),
  ...(process.stderr.isTTY ? { terminal: process.stderr } : {}),
});
