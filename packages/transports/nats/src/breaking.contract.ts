import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import type { Transport } from '@conclave/core/embedding';
import { firstValueFrom } from 'rxjs';
import { expect } from 'vitest';

/**
 * A way to the server at `port` that breaks the first connections on which a word is sent, such as
 * that of a subscription.
 */
export async function breaking(port: number, word: string, most: number) {
  let breaks = 0;
  const between = createServer((socket) => {
    const there = connect(port, '127.0.0.1');
    socket.on('data', (data) => {
      if (breaks < most && data.includes(word)) {
        breaks++;
        socket.destroy();
        there.destroy();
      } else there.write(data);
    });
    there.on('data', (data) => socket.write(data));
    for (const [one, other] of [
      [socket, there],
      [there, socket],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy());
  });
  await once(between.listen(0, '127.0.0.1'), 'listening');
  const { port: own } = between.address() as AddressInfo; // of TCP
  return {
    port: own,
    get breaks() {
      return breaks;
    },
    close: () => between.close(),
  };
}

/** Node a gets what b sends, although the way there broke before; closes all three. */
export async function expectArrival(
  a: Transport,
  b: Transport,
  way: Awaited<ReturnType<typeof breaking>>,
): Promise<void> {
  expect(way.breaks).toBe(2);
  const received = firstValueFrom(a.received$);
  const again = setInterval(() => b.send('a', { type: 'ping' }), 20); // the first may be early
  expect(await received).toMatchObject({ from: 'b', message: { type: 'ping' } });
  clearInterval(again);
  await Promise.all([a.close(), b.close()]);
  way.close();
}
