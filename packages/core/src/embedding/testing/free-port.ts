import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to connections: one of these could be taken before a server
 * listens on it.
 */
const [lowest, highest] = [15_000, 32_000];

/** Those that were given: each is given once. */
const given = new Set<number>();

/**
 * A port of loopback on which nobody listens now, for a server of a test; each time another one.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
