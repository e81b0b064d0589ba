import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { it } from 'vitest';
import { runTwoTerminals } from '../../nats/src/two-terminals.contract.js';

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('unreachable: it listens on a port');
  return String(address.port);
}

it('runs the program of the README in two terminals', async () => {
  const [a, b] = [await freePort(), await freePort()];
  await runTwoTerminals(join(import.meta.dirname, '..'), (code) => code.replace('4001', a).replace('4002', b));
});
