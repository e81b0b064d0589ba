import { join } from 'node:path';
import { freePort } from '@conclave/core/internal/servers';
import { proof } from '@conclave/tools/sample';
import { runTwoTerminals } from '../../nats/src/two-terminals.contract.js';

proof('runs the program of the README in two terminals', async () => {
  const [a, b] = [await freePort(), await freePort()];
  await runTwoTerminals(join(import.meta.dirname, '..'), (code) =>
    code.replace('4001', String(a)).replace('4002', String(b)),
  );
});
