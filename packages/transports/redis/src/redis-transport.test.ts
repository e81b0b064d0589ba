import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  describeWithServer,
  startRedis,
  type TestServer,
  transportContract,
} from '@conclave/core/embedding/testing';
import { proof, times } from '@conclave/tools/sample';
import { EMPTY, firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lockThroughOutages } from '../../nats/src/lock.contract.js';
import { runTwoTerminals } from '../../nats/src/two-terminals.contract.js';
import { type RedisOptions, redisTransport } from './index.js';

const soon = { socket: { reconnectStrategy: 20 } };
/** Where nothing listens. */
const nowhere = 'redis://127.0.0.1:1';
const pair = (options: Partial<RedisOptions>): RedisOptions => ({
  self: 'a',
  peers: ['b'],
  network: 'shop',
  ...soon,
  ...options,
});

describeWithServer('redis-server', 'redisTransport', () => {
  let server: TestServer;
  let round = 0;
  beforeAll(async () => {
    server = await startRedis();
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
        transport: (self) =>
          redisTransport({
            self,
            peers: nodes.filter((id) => id !== self),
            network,
            maxBytes,
            url: server.url,
            ...soon,
          }),
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
    { inOrderWhileUp: true, frames: times(2_000, 100_000) },
  );

  lockThroughOutages(
    () => server,
    (self, peers) => redisTransport({ self, peers, network: 'lock', url: server.url, ...soon }),
  );

  it('runs the program of the README in two terminals', async () => {
    proof();
    await runTwoTerminals(join(import.meta.dirname, '..'), (code) =>
      code.replace('redis://127.0.0.1:6379', server.url),
    );
  });

  it('carries messages between nodes and networks of any name', async () => {
    const names = ['a:b', 'a*', '', ' ', 'é%3A', '%', 'a'];
    for (const network of ['shop:', '']) {
      const transports = await Promise.all(
        names.map((self) =>
          redisTransport({
            self,
            peers: names.filter((id) => id !== self),
            network,
            url: server.url,
          }),
        ),
      );
      const counts = new Map(names.map((name) => [name, 0]));
      const all = new Promise<void>((resolve) => {
        let left = names.length * (names.length - 1);
        for (const { self, received$ } of transports)
          received$.subscribe(() => {
            counts.set(self, (counts.get(self) ?? 0) + 1);
            if (--left === 0) resolve();
          });
      });
      for (const transport of transports)
        for (const to of names) if (to !== transport.self) transport.send(to, { type: 'hello' });
      await all;
      expect([...counts.values()]).toEqual(names.map(() => names.length - 1));
      for (const { refused } of transports)
        expect(Object.values(refused ?? {}).reduce((sum, count) => sum + count)).toBe(0);
      await Promise.all(transports.map((transport) => transport.close()));
    }
  });

  it('waits for a server that starts later', async () => {
    const later = await startRedis();
    await later.kill();
    const transport = redisTransport(pair({ url: later.url }));
    await later.start();
    expect(await firstValueFrom((await transport).status$ ?? EMPTY)).toEqual({ state: 'up' });
    await (await transport).close();
    await later.close();
  });

  it('says that it has reached no server, and what to try', async () => {
    await expect(redisTransport(pair({ url: nowhere, connectTimeout: 50 }))).rejects.toMatchObject({
      code: 'timed-out',
      message: expect.stringMatching(
        /^Node a has reached no Redis server within 50 ms: .*127.0.0.1:1.*Start redis-server there/,
      ),
    });
  });

  it('says that the server refuses its credentials, at the start and later', async () => {
    const guarded = await startRedis({ args: ['--requirepass', 'right'] });
    for (const password of ['wrong', undefined])
      await expect(
        redisTransport(pair({ url: guarded.url, ...(password && { password }) })),
      ).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringMatching(/refuses node a: .*Check its credentials/),
      });
    const transport = await redisTransport(pair({ url: guarded.url, password: 'right' }));
    const last = lastValueFrom(transport.status$ ?? EMPTY);
    await guarded.close();
    const changed = await startRedis({ args: ['--requirepass', 'new'], port: guarded.port });
    expect(await last).toMatchObject({
      state: 'closed',
      reason: expect.stringMatching(/gave up: WRONGPASS/),
    });
    expect(await lastValueFrom(transport.received$.pipe(toArray()))).toEqual([]);
    expect(() => transport.send('b', { type: 'late' })).toThrow(
      'The transport of node a is closed',
    );
    await transport.close();
    await changed.close();
  });

  it('says that the server refuses its channel, or that of a peer', async () => {
    const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
    const [, user = ''] = /ACL user: `(on >password [^`]+)`/.exec(page) ?? [];
    const guarded = await startRedis({ args: ['--user', 'a', ...user.split(' ')] });
    const options = { url: guarded.url, username: 'a', password: 'password' };
    await expect(redisTransport(pair({ ...options, self: 'c' }))).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/refuses node c: NOPERM/),
    });
    const transport = await redisTransport(pair({ ...options, peers: ['b', 'c'] }));
    transport.send('b', { type: 'hello' });
    transport.send('c', { type: 'hello' });
    expect(await firstValueFrom(transport.errors$ ?? EMPTY)).toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/refuses node a: NOPERM/),
    });
    await transport.close();
    await guarded.close();
  });

  it('can be closed while its server is down', async () => {
    const later = await startRedis();
    const transport = await redisTransport(pair({ url: later.url }));
    await later.close();
    transport.send('b', { type: 'lost' });
    await transport.close();
    expect(() => transport.send('b', { type: 'late' })).toThrow(
      'The transport of node a is closed',
    );
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
