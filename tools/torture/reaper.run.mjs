/**
 * Kills what the harness leaves behind, also after the harness itself was killed: `+pid` and `-pid`
 * on its input say which process groups there are; at the end of the input it kills them.
 */
import { createInterface } from 'node:readline';

const groups = new Set();
createInterface({ input: process.stdin })
  .on('line', (line) =>
    line.startsWith('+') ? groups.add(Number(line.slice(1))) : groups.delete(Number(line.slice(1))),
  )
  .on('close', () => {
    for (const group of groups) {
      try {
        process.kill(-group, 'SIGKILL');
      } catch {} // it ended before
    }
  });
// those are for the harness; the end of the input follows
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
