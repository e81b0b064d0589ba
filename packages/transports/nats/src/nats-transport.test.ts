import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { election, electionClient, lock, lockClient } from '@conclave/coordination';
import { memoryStorage, type NetworkOptions } from '@conclave/core/embedding';
import { transportContract } from '@conclave/core/embedding/testing';
import { startServer } from '@conclave/core/internal/servers';
import { times } from '@conclave/tools/sample';
import { connect } from '@nats-io/transport-node';
import { EMPTY, filter, firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWithServer } from '../../../core/src/embedding/testing/describe-with-server.contract.js';
import type { TestServer } from '../../../core/src/embedding/testing/servers.js';
import { breaking, brokerContract, expectArrival } from './broker.contract.js';
import { type NatsOptions, natsTransport } from './index.js';

const node = { self: 'a', peers: ['b'], network: 'shop' };
const serving = { clients: true };
const others = (names: readonly string[], self: string) => names.filter((id) => id !== self);
const open = (servers: string, options: NetworkOptions, client: Partial<NatsOptions> = {}) =>
  natsTransport({ servers, reconnectTimeWait: 20, reconnectJitter: 5, ...options, ...client });

describeWithServer('nats-server', 'natsTransport', () => {
  let server: TestServer;
  let round = 0;
  const folder = mkdtempSync(join(tmpdir(), 'conclave-nats-'));
  const config = join(folder, 'server.conf');
  const permitted = 'subscribe: ["conclave.shop.a"], publish: ["conclave.shop.b"]';
  writeFileSync(
    config,
    `authorization { users: [{ user: a, password: p, permissions: { ${permitted} } }] }`,
  );
  beforeAll(async () => {
    server = await startServer('nats-server');
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true });
  });

  transportContract(
    'natsTransport',
    (nodes, { maxBytes }) => {
      const network = `shop ${round++}`;
      return {
        network,
        transport: (self) => {
          const peers = nodes.filter((id) => id !== self);
          return open(server.url, { self, peers, network, maxBytes });
        },
        inject: async (_from, to, frames) => {
          const client = await connect({ servers: server.url });
          for (const frame of frames)
            client.publish(`conclave.${encodeURIComponent(network)}.${to}`, frame);
          await client.drain();
        },
        interrupt: () => server.kill(),
        resume: () => server.start(),
        close: () => server.start(),
      };
    },
    {
      inOrderWhileUp: true,
      frames: times(500, 100_000),
      impossible: { peers: 'a NATS server does not tell who listens' },
    },
  );

  it('admits clients where it is told to: they have the lock of three servers', async () => {
    const names = ['a', 'b', 'c'];
    const network = 'shop with clients';
    const nodes = await Promise.all(
      names.map(async (self) =>
        lock({
          ...{ tolerate: 'crash', self, peers: names, clients: true, storage: memoryStorage() },
          transport: await open(server.url, { self, peers: others(names, self), network }, serving),
        }),
      ),
    );
    const made = () =>
      lockClient({
        servers: names,
        transport: (self) => open(server.url, { self, peers: names, network }),
      });
    const clients = await Promise.all([made(), made(), made()]);
    const tokens = await Promise.all(
      clients.map((one) => one.run(({ fencingToken }) => fencingToken)),
    );
    expect(new Set(tokens).size).toBe(3);
    await Promise.all([...clients, ...nodes].map((one) => one.close()));
  });

  it('admits clients of an election: one follows it, and knows nobody while the server is down', async () => {
    const names = ['a', 'b', 'c'];
    const network = 'shop with an election';
    const leases = { lease: 1_500, renewal: 300 };
    const nodes = await Promise.all(
      names.map(async (self) =>
        election({
          ...{ by: 'lease', self, peers: names, clients: true, storage: memoryStorage() },
          ...{ ...leases, onError: () => {} },
          transport: await open(server.url, { self, peers: others(names, self), network }, serving),
        }),
      ),
    );
    const client = await electionClient({
      ...{ servers: names, ...leases, onError: () => {} },
      transport: (self) => open(server.url, { self, peers: names, network }),
    });
    const first = await client.elect();
    for (const node of nodes) node.resign();
    for await (const leader of client) if (leader && leader.term > first.term) break;
    const { term } = client;
    await server.kill();
    await expect.poll(() => client.leader, { timeout: 10_000 }).toBeUndefined();
    await server.start();
    const last = await client.elect();
    // the leader is another one if its lease ran out meanwhile
    expect(last.term).toBeGreaterThanOrEqual(term);
    expect(names).toContain(last.id);
    await Promise.all([client, ...nodes].map((one) => one.close()));
  });

  brokerContract<Partial<NatsOptions>>({
    server: () => server,
    start: (options) => startServer('nats-server', options),
    open,
    root: join(import.meta.dirname, '..'),
    address: 'nats://127.0.0.1:4222',
    names: ['a.b', 'a.*', '>', '', ' ', 'é%2E', '%', 'a'],
    networks: ['shop.*', ''],
    nowhere: [
      'nats://127.0.0.1:1',
      /^Node a has reached no NATS server at nats:\/\/127.0.0.1:1 within 50 ms: .*Start nats-server there/,
    ],
    credentials: {
      args: (password) => ['--user', 'u', '--pass', password],
      right: { user: 'u', pass: 'right' },
      wrong: [{ user: 'u', pass: 'wrong' }],
      reason: /gave up: .*Authorization/i,
    },
    permissions: {
      args: ['--config', config],
      client: { user: 'a', pass: 'p' },
      other: ['c', /Permit each node to subscribe to its own subject/],
      message: /refuses what node a does: .*conclave\.shop\.c/,
    },
  });

  it('refuses a limit that is more than the server takes', async () => {
    await expect(open(server.url, { ...node, maxBytes: 2 << 20 })).rejects.toThrow(
      'Node a may send 2097152 bytes, but the NATS server takes 1048576. Lower maxBytes.',
    );
  });

  it('subscribes again where its connection breaks meanwhile', async () => {
    const way = await breaking(server.port, 'SUB ', 2);
    const servers = `nats://127.0.0.1:${way.port}`;
    const a = await open(servers, node);
    const b = await open(servers, { ...node, self: 'b', peers: ['a'] });
    await expectArrival(a, b, way);
  });

  it('gives up to subscribe when its time is over', async () => {
    const way = await breaking(server.port, 'SUB ', Infinity);
    const servers = `nats://127.0.0.1:${way.port}`;
    await expect(open(servers, node, { connectTimeout: 300 })).rejects.toMatchObject({
      code: 'timed-out',
    });
    expect(way.breaks).toBeGreaterThan(0);
    way.close();
  });

  it('notices a server that is silent', async () => {
    const silent = await startServer('nats-server');
    const transport = await open(silent.url, node, { pingInterval: 20, timeout: 10_000 });
    const status$ = transport.status$ ?? EMPTY;
    const pid = silent.pid ?? Number.NaN; // not 0, which is the group of this process
    process.kill(pid, 'SIGSTOP');
    expect(
      await firstValueFrom(status$.pipe(filter(({ state }) => state === 'down'))),
    ).toMatchObject({ reason: expect.stringContaining('is lost') });
    process.kill(pid, 'SIGCONT');
    expect(await firstValueFrom(status$.pipe(filter(({ state }) => state !== 'down')))).toEqual({
      state: 'resumed',
      gap: true,
    });
    await transport.close();
    await silent.close();
  });
});
