import { join } from 'node:path';
import { proof } from '@conclave/tools/sample';
import { runTwoTerminals } from '../../nats/src/two-terminals.contract.js';
import { relay } from './relay/index.js';

proof('runs the program of the README in two terminals', async () => {
  await using server = await relay();
  await runTwoTerminals(join(import.meta.dirname, '..'), (code) =>
    code.replace('ws://127.0.0.1:4100', server.url),
  );
});
