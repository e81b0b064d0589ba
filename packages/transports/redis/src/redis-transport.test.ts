import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { NetworkOptions } from '@conclave/core/embedding';
import { transportContract } from '@conclave/core/embedding/testing';
import { startServer } from '@conclave/core/internal/servers';
import { times } from '@conclave/tools/sample';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithServer } from '../../../core/src/embedding/testing/describe-with-server.contract.js';
import type { TestServer } from '../../../core/src/embedding/testing/servers.js';
import { breaking, brokerContract, expectArrival } from '../../nats/src/broker.contract.js';
import { type RedisOptions, redisTransport } from './index.js';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'README.md'), 'utf8');
const [, permitted = ''] = /ACL user: `(on >password [^`]+)`/.exec(page) ?? [];
const open = (url: string, options: NetworkOptions, client: Partial<RedisOptions> = {}) =>
  redisTransport({ url, socket: { reconnectStrategy: 20 }, ...options, ...client });

describeWithServer('redis-server', 'redisTransport', () => {
  let server: TestServer;
  let round = 0;
  beforeAll(async () => {
    server = await startServer('redis-server');
  });
  afterAll(async () => {
    await server?.close();
  });

  transportContract(
    'redisTransport',
    (nodes, { maxBytes }) => {
      const network = `shop ${round++}`;
      return {
        network,
        transport: (self) => {
          const peers = nodes.filter((id) => id !== self);
          return open(server.url, { self, peers, network, maxBytes });
        },
        inject: async (_from, to, frames) => {
          // the client of Redis takes twice as long
          const socket = connect(server.port, '127.0.0.1').resume();
          const channel = Buffer.from(`conclave:${encodeURIComponent(network)}:${to}`);
          socket.end(Buffer.concat(frames.map((frame) => commandOf('PUBLISH', channel, frame))));
          await once(socket, 'finish');
        },
        interrupt: () => server.kill(),
        resume: () => server.start(),
        close: () => server.start(),
      };
    },
    { inOrderWhileUp: true, frames: times(500, 100_000) },
  );

  brokerContract<Partial<RedisOptions>>({
    server: () => server,
    start: (options) => startServer('redis-server', options),
    open,
    root,
    address: 'redis://127.0.0.1:6379',
    names: ['a:b', 'a*', '', ' ', 'é%3A', '%', 'a'],
    networks: ['shop:', ''],
    nowhere: [
      'redis://127.0.0.1:1',
      /^Node a has reached no Redis server within 50 ms: .*127.0.0.1:1.*Start redis-server there/,
    ],
    credentials: {
      args: (password) => ['--requirepass', password],
      right: { password: 'right' },
      wrong: [{ password: 'wrong' }, {}],
      reason: /gave up: WRONGPASS/,
    },
    permissions: {
      args: ['--user', 'a', ...permitted.split(' ')],
      client: { username: 'a', password: 'password' },
      other: ['c', /refuses node c: NOPERM/],
      message: /refuses node a: NOPERM/,
    },
  });
});

describeWithServer('redis-server', 'redisTransport at its start', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer('redis-server');
  });
  afterAll(() => server?.close());

  it('subscribes again where its connection breaks meanwhile', async () => {
    const way = await breaking(server.port, 'subscribe', 2);
    const at = { network: 'shop', url: `redis://127.0.0.1:${way.port}` };
    const a = await redisTransport({ self: 'a', peers: ['b'], ...at });
    const b = await redisTransport({ self: 'b', peers: ['a'], ...at });
    await expectArrival(a, b, way);
  });

  it('gives up when its time is over', async () => {
    const way = await breaking(server.port, 'subscribe', Infinity);
    const url = `redis://127.0.0.1:${way.port}`;
    await expect(
      redisTransport({ self: 'a', peers: [], network: 'shop', url, connectTimeout: 200 }),
    ).rejects.toMatchObject({ code: 'timed-out' });
    expect(way.breaks).toBeGreaterThan(0);
    way.close();
  });
});

/** A command in the protocol of Redis. */
const commandOf = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat([
    Buffer.from(`*${parts.length}\r\n`),
    ...parts.flatMap((part) => [
      Buffer.from(`$${part.length}\r\n`),
      Buffer.from(part),
      Buffer.from('\r\n'),
    ]),
  ]);
