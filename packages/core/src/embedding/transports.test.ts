import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { firstValueFrom } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { chain } from '../topology/generators.js';
import { broadcastChannelTransport } from './broadcast-channel.js';
import { Inbox } from './inbox.js';
import { memoryNetwork } from './memory.js';
import { messagePortTransport, portsBetween } from './message-port.js';
import type { Transport } from './transport.js';

/** Connected transports of nodes a and b. */
const pairs: Record<string, () => [Transport, Transport]> = {
  memory: () => {
    const network = memoryNetwork(['a', 'b']);
    return [network.transport('a'), network.transport('b')];
  },
  'message port': () => {
    const ports = portsBetween(['a', 'b', 'c']);
    for (const port of Object.values(ports.c ?? {})) port.close();
    return [messagePortTransport('a', ports.a ?? {}), messagePortTransport('b', ports.b ?? {})];
  },
  'broadcast channel': () => {
    const name = `test-${crypto.randomUUID()}`;
    return [broadcastChannelTransport('a', name), broadcastChannelTransport('b', name)];
  },
};

const numbered = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ type: 'number', n }));

describe('the memory network', () => {
  it.each([3, undefined, 'abc'])(
    'is one of a list of nodes, or of a topology, not of %j',
    (nodes) => {
      const make = memoryNetwork as (nodes: unknown) => unknown; // as JavaScript calls it
      expect(() => make(nodes)).toThrow(
        `The network's nodes are ${JSON.stringify(nodes)}. Give the ids of all nodes, such as`,
      );
    },
  );

  it('delivers by its schedule, also in its order if any order is allowed', () => {
    const deliveries: (() => void)[] = [];
    const network = memoryNetwork(chain(['a', 'b']), {
      order: 'any',
      schedule: (deliver) => deliveries.unshift(deliver),
    });
    const received: unknown[] = [];
    network.transport('b').received$.subscribe(({ message }) => received.push(message));
    const a = network.transport('a');
    for (const message of numbered(3)) a.send('b', message);
    expect(a.guarantees.order).toBe('any');
    for (const deliver of deliveries) deliver();
    expect(received).toEqual(numbered(3).reverse());
  });

  it('keeps the order on fifo channels for each schedule', () => {
    const deliveries: (() => void)[] = [];
    const network = memoryNetwork(['a', 'b'], {
      schedule: (deliver) => deliveries.unshift(deliver),
    });
    const received: unknown[] = [];
    network.transport('b').received$.subscribe(({ message }) => received.push(message));
    const a = network.transport('a');
    for (const message of numbered(3)) a.send('b', message);
    for (const deliver of deliveries) deliver();
    expect(received).toEqual(numbered(3));
  });
});

describe('the message port transport', () => {
  it('connects to a Node worker', async () => {
    const echo =
      "const { parentPort } = require('node:worker_threads'); parentPort.on('message', (m) => parentPort.postMessage(m));";
    const worker = new Worker(echo, { eval: true });
    const transport = messagePortTransport('main', { worker });
    transport.send('worker', { type: 'ping' });
    expect(await firstValueFrom(transport.received$)).toEqual({
      from: 'worker',
      message: { type: 'ping' },
    });
    await transport.close();
    expect(worker.listenerCount('message')).toBe(0);
    expect(worker.threadId).toBeGreaterThan(0); // still runs
    await worker.terminate();
  });

  it('lists the nodes to which it has ports', () => {
    const [a] = pairs['message port']?.() ?? [];
    expect(() => a?.send('z', { type: 'ping' })).toThrow(
      'Node a has no port to z. It has ports to b, c.',
    );
    void a?.close();
  });

  it('joins each two nodes by one channel', async () => {
    const ports = portsBetween(['a', 'b', 'c', 'd']);
    expect(Object.entries(ports).map(([id, to]) => [id, Object.keys(to).sort()])).toEqual([
      ['a', ['b', 'c', 'd']],
      ['b', ['a', 'c', 'd']],
      ['c', ['a', 'b', 'd']],
      ['d', ['a', 'b', 'c']],
    ]);
    const [c, d] = [
      messagePortTransport('c', ports.c ?? {}),
      messagePortTransport('d', ports.d ?? {}),
    ];
    c.send('d', { type: 'ping' });
    expect(await firstValueFrom(d.received$)).toEqual({ from: 'c', message: { type: 'ping' } });
    for (const id of ['a', 'b']) await messagePortTransport(id, ports[id] ?? {}).close();
    await Promise.all([c.close(), d.close()]);
  });
});

it('the broadcast channel transport receives only frames that are addressed to it', async () => {
  const name = `test-${crypto.randomUUID()}`;
  const stranger = new BroadcastChannel(name);
  const [a, b, c] = ['a', 'b', 'c'].map((self) => broadcastChannelTransport(self, name));
  const received: unknown[] = [];
  b?.received$.subscribe((incoming) => received.push(incoming));
  for (const rubbish of [null, 7, {}, { to: 'b', message: 1 }, { to: 'b', from: 3, message: 1 }])
    stranger.postMessage(rubbish);
  a?.send('c', { type: 'for c' });
  a?.send('b', { type: 'for b' });
  while (received.length === 0) await sleep(1);
  await sleep(20);
  expect(received).toEqual([{ from: 'a', message: { type: 'for b' } }]);
  expect(a?.guarantees).toEqual({ order: 'fifo', loss: true, duplication: false, restarts: true });
  stranger.close();
  for (const transport of [a, b, c]) await transport?.close();
});

it('holds items until the first subscriber, then passes them on', () => {
  const inbox = new Inbox<number>();
  inbox.put(1);
  inbox.put(2);
  const received: unknown[] = [];
  inbox.items$.subscribe({
    next: (item) => {
      received.push(item);
      if (item === 1) inbox.put(3); // while it hands over
    },
    complete: () => received.push('the end'),
  });
  inbox.put(4);
  inbox.close();
  expect(received).toEqual([1, 2, 3, 4, 'the end']);
});
