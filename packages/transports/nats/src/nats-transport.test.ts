import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  describeWithServer,
  startNats,
  type TestServer,
  transportContract,
} from '@conclave/core/embedding/testing';
import { proof, times } from '@conclave/tools/sample';
import { connect } from '@nats-io/transport-node';
import { EMPTY, filter, firstValueFrom, lastValueFrom, toArray } from 'rxjs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type NatsOptions, natsTransport } from './index.js';
import { lockThroughOutages } from './lock.contract.js';
import { runTwoTerminals } from './two-terminals.contract.js';

const soon = { reconnectTimeWait: 20, reconnectJitter: 5 };
/** Where nothing listens. */
const nowhere = 'nats://127.0.0.1:1';
const pair = (options: Partial<NatsOptions>): NatsOptions => ({
  self: 'a',
  peers: ['b'],
  network: 'shop',
  ...soon,
  ...options,
});

describeWithServer('nats-server', 'natsTransport', () => {
  let server: TestServer;
  let round = 0;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(async () => {
    await server?.close();
  });

  transportContract(
    'natsTransport',
    (nodes, { maxBytes }) => {
      const network = `shop ${round++}`;
      return {
        network,
        transport: (self) =>
          natsTransport({
            self,
            peers: nodes.filter((id) => id !== self),
            network,
            maxBytes,
            servers: server.url,
            ...soon,
          }),
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
      frames: times(2_000, 100_000),
      impossible: { peers: 'a NATS server does not tell who listens' },
    },
  );

  lockThroughOutages(
    () => server,
    (self, peers) => natsTransport({ self, peers, network: 'lock', servers: server.url, ...soon }),
  );

  it('runs the program of the README in two terminals', async () => {
    proof();
    await runTwoTerminals(join(import.meta.dirname, '..'), (code) =>
      code.replace('nats://127.0.0.1:4222', server.url),
    );
  });

  it('carries messages between nodes and networks of any name', async () => {
    const names = ['a.b', 'a.*', '>', '', ' ', 'é%2E', '%', 'a'];
    for (const network of ['shop.*', '']) {
      const transports = await Promise.all(
        names.map((self) =>
          natsTransport({
            self,
            peers: names.filter((id) => id !== self),
            network,
            servers: server.url,
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
    const later = await startNats();
    await later.kill();
    const transport = natsTransport(pair({ servers: later.url }));
    await later.start();
    expect(await firstValueFrom((await transport).status$ ?? EMPTY)).toEqual({ state: 'up' });
    await (await transport).close();
    await later.close();
  });

  it('says which server it has not reached, and what to try', async () => {
    await expect(
      natsTransport(pair({ servers: nowhere, connectTimeout: 50 })),
    ).rejects.toMatchObject({
      code: 'timed-out',
      message: expect.stringMatching(
        /^Node a has reached no NATS server at nats:\/\/127.0.0.1:1 within 50 ms: .*Start nats-server there/,
      ),
    });
  });

  it('refuses a limit that is more than the server takes', async () => {
    await expect(natsTransport(pair({ servers: server.url, maxBytes: 2 << 20 }))).rejects.toThrow(
      'Node a may send 2097152 bytes, but the NATS server takes 1048576. Lower maxBytes.',
    );
  });

  it('says that the server refuses its credentials, at the start and later', async () => {
    const credentials = { user: 'u', pass: 'right' };
    const args = ['--user', credentials.user, '--pass', credentials.pass];
    const guarded = await startNats({ args });
    await expect(
      natsTransport(pair({ servers: guarded.url, user: 'u', pass: 'wrong' })),
    ).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/refuses node a: .*Check its credentials\.$/),
    });
    const transport = await natsTransport(pair({ servers: guarded.url, ...credentials }));
    const statuses = lastValueFrom(transport.status$ ?? EMPTY);
    await guarded.close();
    const changed = await startNats({ args: ['--user', 'u', '--pass', 'new'], port: guarded.port });
    expect(await statuses).toMatchObject({
      state: 'closed',
      reason: expect.stringMatching(/gave up: .*Authorization/i),
    });
    expect(await lastValueFrom(transport.received$.pipe(toArray()))).toEqual([]);
    expect(() => transport.send('b', { type: 'late' })).toThrow(
      'The transport of node a is closed',
    );
    await transport.close();
    await changed.close();
  });

  it('says that the server refuses its subject, or that of a peer', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'conclave-nats-'));
    const file = join(folder, 'server.conf');
    const permissions =
      'permissions: { subscribe: ["conclave.shop.a"], publish: ["conclave.shop.b"] }';
    writeFileSync(file, `authorization { users: [{ user: a, password: p, ${permissions} }] }`);
    const guarded = await startNats({ args: ['--config', file] });
    const options = { servers: guarded.url, user: 'a', pass: 'p' };
    await expect(
      natsTransport(pair({ ...options, self: 'b', peers: ['a'] })),
    ).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining('Permit each node to subscribe to its own subject'),
    });
    const transport = await natsTransport(pair({ ...options, peers: ['b', 'c'] }));
    transport.send('b', { type: 'hello' });
    transport.send('c', { type: 'hello' });
    expect(await firstValueFrom(transport.errors$ ?? EMPTY)).toMatchObject({
      code: 'refused',
      message: expect.stringMatching(/refuses what node a does: .*conclave\.shop\.c/),
    });
    await transport.close();
    await guarded.close();
    await rm(folder, { recursive: true });
  });

  it('notices a server that is silent', async () => {
    const silent = await startNats();
    const transport = await natsTransport(
      pair({ servers: silent.url, pingInterval: 20, timeout: 500 }),
    );
    const status$ = transport.status$ ?? EMPTY;
    const pid = silent.pid ?? Number.NaN; // not 0, which is the group of this process
    process.kill(pid, 'SIGSTOP');
    expect(
      await firstValueFrom(status$.pipe(filter(({ state }) => state === 'down'))),
    ).toMatchObject({
      reason: expect.stringContaining('is lost'),
    });
    process.kill(pid, 'SIGCONT');
    expect(await firstValueFrom(status$.pipe(filter(({ state }) => state !== 'down')))).toEqual({
      state: 'resumed',
      gap: true,
    });
    await transport.close();
    await silent.close();
  });

  it('can be closed while its server is down', async () => {
    const later = await startNats();
    const transport = await natsTransport(pair({ servers: later.url }));
    await later.close();
    transport.send('b', { type: 'lost' });
    await transport.close();
    expect(() => transport.send('b', { type: 'late' })).toThrow(
      'The transport of node a is closed',
    );
  });
});
