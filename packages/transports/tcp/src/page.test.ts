import { join } from 'node:path';
import { freePort } from '@conclave/core/internal/servers';
import { oneDayIn } from '@conclave/tools/sample';
import { it } from 'vitest';
import { runTwoTerminals } from '../../nats/src/two-terminals.contract.js';

it('runs the program of the README in two terminals', async () => {
  oneDayIn(5);
  const [a, b] = [await freePort(), await freePort()];
  await runTwoTerminals(join(import.meta.dirname, '..'), (code) =>
    code.replace('4001', String(a)).replace('4002', String(b)),
  );
});
