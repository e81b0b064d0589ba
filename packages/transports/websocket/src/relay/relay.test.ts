import { once } from 'node:events';
import { createServer as createHttp } from 'node:http';
import { createServer, type Socket } from 'node:net';
import type { NetworkTransport } from '@conclave/core/embedding';
import { EMPTY, filter, firstValueFrom, lastValueFrom, skip, take, toArray } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { lockThroughOutages } from '../../../nats/src/broker.contract.js';
import { type WebSocketOptions, webSocketTransport } from '../index.js';
import { lineOf, newsText, parameters, wireVersion } from '../socket.js';
import { type Relay, type RelayOptions, relay } from './index.js';

const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function started(options: RelayOptions = {}): Promise<Relay> {
  const server = await relay(options);
  opened.push(server);
  return server;
}

async function node(
  self: string,
  url: WebSocketOptions['url'],
  options: Partial<WebSocketOptions> = {},
): Promise<NetworkTransport> {
  const peers = ['a', 'b', 'c'].filter((id) => id !== self);
  const transport = await webSocketTransport({
    self,
    peers,
    network: 'shop',
    url,
    reconnect: { least: 5, most: 50 },
    ...options,
  });
  opened.push(transport);
  return transport;
}

/** A program that speaks to the relay by itself. */
function program(
  server: Relay,
  self: string,
  headers: Readonly<Record<string, string>> = {},
): WebSocket {
  const query = new URLSearchParams({
    [parameters.network]: 'shop',
    [parameters.node]: self,
    [parameters.version]: wireVersion,
  });
  return new WebSocket(`${server.url}?${query}`, { headers });
}

/** One that is admitted. */
async function admitted(server: Relay, self: string): Promise<WebSocket> {
  const socket = program(server, self);
  await once(socket, 'message'); // the welcome
  return socket;
}

const closeCode = async (socket: WebSocket): Promise<number> => (await once(socket, 'close'))[0];

const statusOf = ({ status$ }: NetworkTransport, wanted: string) =>
  firstValueFrom(status$.pipe(filter(({ state }) => state === wanted)));

describe('a lock', () => {
  let server: Relay | undefined;
  let port = 0;
  const start = async () => {
    server ??= await relay({ port });
    port = server.port;
  };
  const kill = async () => {
    const stopped = server;
    server = undefined;
    await stopped?.close();
  };
  beforeAll(start);
  afterAll(kill);
  lockThroughOutages(
    () => ({ kill, start }),
    async (self, peers) =>
      webSocketTransport({
        self,
        peers,
        network: 'lock',
        url: `ws://127.0.0.1:${port}`,
        reconnect: { least: 5, most: 50 },
      }),
  );
});

describe('the relay', () => {
  it('admits whom it authorizes, by the query of the url, which is asked anew at each connection', async () => {
    const tokens: (string | null)[] = [];
    const authorize: RelayOptions['authorize'] = async ({ network, node: id, request }) => {
      const token = new URL(request.url ?? '', 'ws://relay').searchParams.get('token');
      tokens.push(token);
      if (token === 'broken') throw new Error('the store of tokens is away');
      return network === 'shop' && token === `secret of ${id}`;
    };
    const server = await started({ authorize });
    const a = await node('a', () => `${server.url}?token=secret of a`);
    a.send('b', { type: 'nobody is there' });
    for (const token of ['secret of a', 'broken'])
      await expect(node('b', `${server.url}?token=${token}`)).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringMatching(
          /^The relay at ws:\/\/127\.0\.0\.1:\d+\/ ends the connection of node b: it is not authorized\./,
        ),
      });
    expect(tokens).toEqual(['secret of a', 'secret of a', 'broken']);
    expect(server.connections).toBe(1);
    expect(server.counts).toMatchObject({ refused: 2, unreachable: 1 });
  });

  it('refuses pages of other origins, other versions, and names that are missing or too long', async () => {
    const server = await started({ origins: ['https://shop.example'] });
    const sockets = [
      program(server, 'a', { origin: 'https://other.example' }),
      program(server, ''),
      program(server, 'x'.repeat(257)),
      new WebSocket(`${server.url}?network=shop&node=a`),
      new WebSocket(`${server.url}?network=shop&node=a&conclave=99`),
    ];
    expect(await Promise.all(sockets.map(closeCode))).toEqual([4003, 4003, 4003, 4003, 4003]);
    const page = program(server, 'a', { origin: 'https://shop.example' });
    expect(String((await once(page, 'message'))[0])).toBe(
      newsText({ type: 'welcome', heartbeat: 5000, peers: [] }),
    );
    page.terminate();
  });

  it('replaces a connection by a newer one of the same node, such as a tab that was loaded again; the older one does not come back', async () => {
    const server = await started();
    const [older, b] = [await node('a', server.url), await node('b', server.url)];
    const news = firstValueFrom(
      (b.peers$ ?? EMPTY).pipe(
        filter(({ peer }) => peer === 'a'),
        take(3), // it is there, goes, and is there again
        toArray(),
      ),
    );
    const error = firstValueFrom(older.errors$);
    const newer = await node('a', server.url);
    expect(await lastValueFrom(older.status$)).toEqual({
      state: 'closed',
      reason: 'a newer connection of this node replaces it',
    });
    expect((await error).message).toContain('Give each node an id of its own.');
    expect(() => older.send('b', { type: 'late' })).toThrow('is closed');
    b.send('a', { type: 'hello' });
    expect(await firstValueFrom(newer.received$)).toEqual({
      from: 'b',
      message: { type: 'hello' },
    });
    expect((await news).at(-1)).toMatchObject({ peer: 'a', reachable: true });
    expect(server.connections).toBe(2);
  });

  it('binds a connection to its node: what claims to be from another is forged', async () => {
    const server = await started();
    const b = await node('b', server.url);
    const impostor = await admitted(server, 'a');
    impostor.send(`${lineOf('b')}[1,"shop","c","b",{"type":"forged"}]`);
    impostor.send(`${lineOf('b')}[1,"shop","a","b",{"type":"real"}]`);
    expect(await firstValueFrom(b.received$)).toEqual({ from: 'a', message: { type: 'real' } });
    expect(b.refused.forged).toBe(1);
    impostor.send('no line');
    impostor.send('{}\nframe');
    impostor.send(`${lineOf('x')}[]`);
    impostor.send(`${lineOf('b')}[1,"shop","a","b",{"type":"last"}]`);
    await firstValueFrom(b.received$);
    expect(server.counts).toMatchObject({ malformed: 2, unreachable: 1, relayed: 3 });
    impostor.terminate();
  });

  it('ends a connection that sends a message beyond its limit, and limits their number', async () => {
    const server = await started({ maxBytes: 1000, maxConnections: 2 });
    const a = await node('a', server.url);
    const error = firstValueFrom(a.errors$);
    a.send('b', { type: 'x'.repeat(2000) });
    expect((await error).message).toContain('Give the relay the same maxBytes.');
    await statusOf(a, 'resumed');
    const b = await node('b', server.url);
    expect(await closeCode(program(server, 'c'))).toBe(1013);
    a.send('b', { type: 'hello' });
    expect(await firstValueFrom(b.received$)).toMatchObject({ from: 'a' });
  });

  it('slows a node that sends too fast, and loses nothing', async () => {
    const server = await started({ maxRate: 1000 });
    const [a, b] = [await node('a', server.url), await node('b', server.url)];
    const all = firstValueFrom(b.received$.pipe(take(1200), toArray()));
    const messages = Array.from({ length: 1200 }, (_, n) => ({
      type: `n${n}`,
      text: 'x'.repeat(1000),
    }));
    const start = performance.now();
    for (const message of messages) a.send('b', message);
    expect((await all).map(({ message }) => message)).toEqual(messages);
    // 1000 at once, and 200 in 200 ms, less the piece that it reads at once and what timers are
    // early
    expect(performance.now() - start).toBeGreaterThan(50);
  });

  it('bounds what waits for a node that does not read', async () => {
    const server = await started({ maxQueuedBytes: 1 << 16, heartbeat: 60_000 });
    const [a, slow] = [await node('a', server.url), await admitted(server, 'b')];
    slow.pause();
    const much = { type: 'x'.repeat(1 << 18) };
    while (server.counts.full === 0) {
      a.send('b', much);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(server.counts.full).toBeGreaterThan(0);
    slow.terminate();
  });

  it('ends a node that is silent, and tells the others', async () => {
    const server = await started({ heartbeat: 20 });
    const a = await node('a', server.url);
    const news = firstValueFrom((a.peers$ ?? EMPTY).pipe(skip(2), take(2), toArray()));
    const silent = await admitted(server, 'b'); // it does not answer
    await once(silent, 'close');
    expect(await news).toEqual([
      { peer: 'b', reachable: true },
      { peer: 'b', reachable: false, reason: 'its connection was closed' },
    ]);
    expect(server.connections).toBe(1); // a answers
  });

  it('serves on an HTTP server that exists, and says that a port is in use', async () => {
    const http = createHttp();
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const server = await started({ server: http });
    const a = await node('a', server.url);
    await expect(relay({ port: server.port })).rejects.toThrow(
      /^The relay cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/,
    );
    await a.close();
    await server.close();
    expect(http.listening).toBe(true);
    http.close();
  });
});

describe('a node', () => {
  it('notices a relay that is silent', async () => {
    const silent = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    silent.on('connection', (socket) =>
      socket.send(newsText({ type: 'welcome', heartbeat: 20, peers: ['b'] })),
    );
    await once(silent, 'listening');
    const address = silent.address();
    const a = await node('a', `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
    expect(await statusOf(a, 'down')).toEqual({ state: 'down', reason: 'the relay is silent' });
    await a.close();
    silent.close();
  });

  it('counts what the relay says and makes no sense', async () => {
    const strange = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    strange.on('connection', (socket) => {
      for (const text of [
        'no line',
        '{}\nframe',
        '\n{}',
        '\n{"type":"peer"}',
        newsText({ type: 'welcome', heartbeat: 1000, peers: [] }),
      ])
        socket.send(text);
    });
    await once(strange, 'listening');
    const address = strange.address();
    const a = await node('a', `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`);
    expect(a.refused.malformed).toBe(4);
    await a.close();
    strange.close();
  });

  it('says which relay it has not reached, and that its url is none', async () => {
    const sockets: Socket[] = [];
    const mute = createServer((socket) => sockets.push(socket));
    mute.listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const address = mute.address();
    const url = `ws://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/locks?token=secret`;
    await expect(node('a', url, { connectTimeout: 50 })).rejects.toThrow(
      /^Node a has reached no relay at ws:\/\/127\.0\.0\.1:\d+\/locks within 50 ms: it did not answer\. Start a relay there/,
    );
    for (const socket of sockets) socket.destroy();
    mute.close();
    await expect(node('a', 'no url')).rejects.toThrow(
      "Node a cannot connect to 'no url'. Give a url such as ws://host:port.",
    );
  });
});
