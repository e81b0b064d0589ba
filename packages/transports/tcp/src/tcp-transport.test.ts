import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transportContract } from '@conclave/core/embedding/testing';
import { freePort } from '@conclave/core/internal/servers';
import { proof, times } from '@conclave/tools/sample';
import { EMPTY, filter, firstValueFrom } from 'rxjs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { lockThroughOutages, runTwoTerminals } from '../../nats/src/broker.contract.js';
import { helloOf, longestHello } from './connection.js';
import { type TcpOptions, tcpTransport } from './index.js';
import {
  connected,
  framed,
  setUpTcp,
  type TcpNetwork,
  tcpNetwork,
  untilPeer,
} from './tcp-network.contract.js';

transportContract('tcpTransport', setUpTcp, { frames: times(500, 100_000) });

const nodes = ['a', 'b', 'c'];
const unlimited = { maxBytes: 1 << 20 };
const opened: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
});

/** Node b, which is never connected by others than the test, as its id is the larger one. */
async function nodeB(options: Partial<TcpOptions> = {}): ReturnType<typeof tcpTransport> {
  const b = await tcpTransport({
    self: 'b',
    network: 'shop',
    listen: { port: 0 },
    peers: { a: { port: 1 } },
    ...options,
  });
  opened.push(b);
  return b;
}

async function nodeA(
  port: number,
  options: Partial<TcpOptions> = {},
): ReturnType<typeof tcpTransport> {
  const reconnect = { least: 5, most: 50 };
  const a = await tcpTransport({
    self: 'a',
    network: 'shop',
    listen: { port: 0 },
    peers: { b: { port } },
    reconnect,
    ...options,
  });
  opened.push(a);
  return a;
}

const firstError = ({ errors$ }: Awaited<ReturnType<typeof tcpTransport>>) =>
  firstValueFrom(errors$);
const firstOf = ({ received$ }: Awaited<ReturnType<typeof tcpTransport>>) =>
  firstValueFrom(received$);

describe('a lock', () => {
  let network: TcpNetwork;
  beforeAll(async () => {
    network = await tcpNetwork(nodes, unlimited);
  });
  afterAll(() => network.close());
  lockThroughOutages(
    () => ({ kill: async () => network.interrupt?.(), start: async () => network.resume?.() }),
    (self) => network.transport(self),
  );
});

describe('the hello', () => {
  const helloFrom = (from: string, network = 'shop', to = 'b') =>
    helloOf({ network, self: from }, to);

  it.each([
    ['stranger', 'a node that is no peer', helloFrom('x')],
    ['stranger', 'the node itself', helloFrom('b')],
    ['network', 'another network', helloFrom('a', 'other')],
    ['misaddressed', 'a node that looks for another one', helloFrom('a', 'shop', 'c')],
    ['version', 'another version', JSON.stringify(['conclave-tcp', 2, 'shop', 'a', 'b'])],
    ['malformed', 'something else', '{"type":"request"}'],
    ['malformed', 'no JSON', 'hello'],
  ] as const)(
    'refuses as %s: %s; it says so to both sides and takes nothing from it',
    async (reason, _who, hello) => {
      const b = await nodeB();
      const error = firstError(b);
      const socket = await connected(b.port);
      let answer = '';
      socket.on('data', (data) => (answer += data));
      socket.write(framed(hello));
      socket.write(framed('[1,"shop","a","b",{"type":"late"}]'));
      await once(socket, 'close');
      expect(await error).toMatchObject({
        code: 'refused',
        message: expect.stringContaining(`as ${reason}`),
      });
      expect(b.refused).toMatchObject({ [reason]: 1 });
      expect(Object.values(b.refused).reduce((sum, count) => sum + count)).toBe(1);
      expect(answer).toContain(`{"refused":"${reason}"}`);
    },
  );

  it('ends a connection that begins with anything but a frame, such as HTTP', async () => {
    const b = await nodeB();
    const socket = await connected(b.port);
    socket.write('GET / HTTP/1.1\r\nHost: b\r\n\r\n');
    socket.resume();
    await once(socket, 'close');
    expect(b.refused['too-large']).toBe(1); // "GET " is a length beyond the longest hello
    expect(Buffer.from('GET ').readUInt32BE()).toBeGreaterThan(longestHello);
  });

  it('ends a connection without a hello, and the oldest of too many', async () => {
    const b = await nodeB({ connectTimeout: 300 });
    const sockets = await Promise.all(Array.from({ length: 70 }, () => connected(b.port)));
    await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
    expect(b.refused).toMatchObject({ malformed: 0, stranger: 0 });
  });

  it('tells the node that is refused why, once', async () => {
    const b = await nodeB({ network: 'other' });
    const a = await nodeA(b.port);
    const errors: string[] = [];
    a.errors$.subscribe(({ message }) => errors.push(message));
    // it tries again and again
    await firstValueFrom(b.errors$.pipe(filter(({ message }) => message.includes('refused 10 '))));
    expect(errors).toEqual([
      'Node b refuses the connection of node a as network. Compare their options.',
    ]);
  });

  it('binds a connection to its node: a frame of another one is forged', async () => {
    const b = await nodeB({ peers: { a: { port: 1 }, c: { port: 1 } } });
    const socket = await connected(b.port);
    socket.write(framed(helloFrom('a')));
    socket.write(framed('[1,"shop","c","b",{"type":"forged"}]'));
    socket.write(framed('[1,"shop","a","b",{"type":"real"}]'));
    expect(await firstOf(b)).toEqual({ from: 'a', message: { type: 'real' } });
    expect(b.refused.forged).toBe(1);
    socket.destroy();
  });

  it('replaces a connection by a newer one of the same node, and takes nothing more from the older', async () => {
    const b = await nodeB();
    const news: unknown[] = [];
    b.peers$?.subscribe((status) => news.push(status));
    const [older, newer] = [await connected(b.port), await connected(b.port)];
    older.write(framed(helloFrom('a')));
    await untilPeer(b, 'a', true);
    newer.write(framed(helloFrom('a')));
    await once(older.resume(), 'close');
    newer.write(framed('[1,"shop","a","b",{"type":"new"}]'));
    expect(await firstOf(b)).toEqual({ from: 'a', message: { type: 'new' } });
    expect(news).toEqual([
      { peer: 'a', reachable: false, reason: 'it has not connected yet' },
      { peer: 'a', reachable: true },
      { peer: 'a', reachable: false, reason: 'a newer connection replaces it' },
      { peer: 'a', reachable: true },
    ]);
    newer.destroy();
  });
});

describe('a connection', () => {
  it('that is half open is noticed on both sides, and made again', async () => {
    const network = await tcpNetwork(['a', 'b'], unlimited, () => ({ heartbeat: 40 }));
    opened.push(network);
    const [a, b] = [await network.transport('a'), await network.transport('b')];
    const reason = firstValueFrom((a.peers$ ?? EMPTY).pipe(filter(({ reachable }) => !reachable)));
    const lost = [untilPeer(a, 'b', false), untilPeer(b, 'a', false)];
    const proxy = network.proxies.get('b');
    if (proxy) proxy.mode = 'silent';
    await Promise.all(lost);
    expect(await reason).toMatchObject({ reason: 'it is silent' });
    const back = [untilPeer(a, 'b', true), untilPeer(b, 'a', true)];
    if (proxy) proxy.mode = 'pass';
    await Promise.all(back);
    a.send('b', { type: 'again' });
    expect(await firstOf(b)).toEqual({ from: 'a', message: { type: 'again' } });
  });

  it('whose other side does not read fills a bounded queue; the rest is dropped and counted', async () => {
    const b = await nodeB({ maxQueuedBytes: 1 << 20 });
    const socket = await connected(b.port);
    socket.write(framed(helloOf({ network: 'shop', self: 'a' }, 'b')));
    await untilPeer(b, 'a', true);
    socket.pause();
    const much = { type: 'much', text: 'x'.repeat(1 << 16) };
    let sent = 0;
    while (b.dropped?.full === 0 && sent < 10_000) {
      for (let n = 0; n < 10; n++, sent++) b.send('a', much);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(b.dropped?.full).toBeGreaterThan(0);
    expect(sent * much.text.length).toBeLessThan(100 << 20); // the system's buffers take some
    socket.destroy();
  });

  it('that does not exist drops what is sent, and counts it', async () => {
    const b = await nodeB();
    b.send('a', { type: 'lost' });
    expect(b.dropped).toEqual({ unreachable: 1, full: 0 });
  });
});

describe('TLS', () => {
  const read = (name: string) =>
    readFileSync(new URL(`../fixtures/certificates/${name}.pem`, import.meta.url));
  const tlsOf = (name: string) => ({ ca: read('ca'), cert: read(name), key: read(`${name}-key`) });

  it('carries messages between nodes whose certificates name them', async () => {
    const b = await nodeB({ tls: tlsOf('b') });
    const a = await nodeA(b.port, { tls: tlsOf('a') });
    await untilPeer(a, 'b', true);
    a.send('b', { type: 'secret' });
    expect(await firstOf(b)).toEqual({ from: 'a', message: { type: 'secret' } });
    b.send('a', { type: 'answer' });
    expect(await firstOf(a)).toEqual({ from: 'b', message: { type: 'answer' } });
  });

  it.each([
    ['names another node', 'b', { tls: tlsOf('b') }],
    ['is signed by another authority', 'b', { tls: { ...tlsOf('other') } }],
    ['is missing, as the other side speaks no TLS', 'b', {}],
  ])('refuses as forged a node whose certificate %s', async (_what, _node, options) => {
    const b = await nodeB({ tls: tlsOf('b') });
    const error = firstError(b);
    const a = await nodeA(b.port, options);
    expect((await error).message).toContain('as forged');
    a.send('b', { type: 'forged' });
    expect(a.dropped?.unreachable).toBe(1);
  });

  it('does not say hello to a node whose certificate names another one', async () => {
    const a = await tcpTransport({
      self: 'a',
      network: 'shop',
      listen: { port: 0 },
      peers: { b: { port: 1 } },
      tls: tlsOf('a'),
    });
    opened.push(a);
    // has the certificate of a, and says that it is b
    const impostor = await nodeB({ tls: tlsOf('a') });
    const dialler = await nodeA(impostor.port, { tls: tlsOf('a') });
    expect((await firstError(dialler)).message).toContain('as forged');
    expect(dialler.refused.forged).toBeGreaterThan(0);
    expect(impostor.refused.stranger).toBe(0);
  });
});

it('says that it cannot listen on a port that is in use', async () => {
  const b = await nodeB();
  await expect(nodeB({ listen: { port: b.port } })).rejects.toMatchObject({
    code: 'bad-input',
    message: expect.stringMatching(
      /^Node b cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE.*Give another listen\.$/,
    ),
  });
});

proof('runs the program of the README in two terminals', async () => {
  const [a, b] = [await freePort(), await freePort()];
  await runTwoTerminals(join(import.meta.dirname, '..'), (code) =>
    code.replace('4001', String(a)).replace('4002', String(b)),
  );
});
