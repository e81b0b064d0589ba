import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

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
