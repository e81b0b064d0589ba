/** Clients of three servers, which no server knows before. */

import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import {
  authenticated,
  memoryNetwork,
  memoryStorage,
  type Transport,
} from '@conclave/core/embedding';
import type { ConclaveError } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { lock } from './lock-choice.js';
import { type LockClientOptions, lockClient, servedBy } from './lock-client.js';
import type { Lock } from './lock-types.js';

const servers = ['a', 'b', 'c'];

/** Three servers, and how to make a client. */
function site(
  wrap: (transport: Transport) => Transport = (transport) => transport,
  protocol = servedBy(3),
) {
  const network = memoryNetwork(servers, { clients: true });
  const errors: ConclaveError[] = [];
  const serve = (self: string) =>
    lock(protocol, {
      clients: true,
      self,
      peers: servers,
      storage: memoryStorage(),
      transport: wrap(network.transport(self)),
      onError: (error) => errors.push(error),
    });
  const client = (more: Partial<LockClientOptions> = {}) =>
    lockClient({
      servers,
      transport: (self) => wrap(network.transport(self)),
      onError: () => {},
      ...more,
    });
  return { nodes: servers.map(serve), client, network, errors };
}

const closeAll = (locks: readonly AsyncDisposable[]) =>
  Promise.all(locks.map((one) => one[Symbol.asyncDispose]()));

describe('lockClient', () => {
  it('has the lock of servers that do not know it: one at a time, with growing tokens', async () => {
    const { nodes, client } = site();
    const clients = await Promise.all([client(), client({ self: 'web' }), client()]);
    let inside = 0;
    const tokens: number[] = [];
    const enter = (one: Lock) =>
      one.run(async ({ fencingToken = 0 }) => {
        expect(++inside).toBe(1);
        await Promise.resolve();
        tokens.push(fencingToken);
        inside--;
      });
    await Promise.all([...clients, ...clients, ...clients, ...nodes].map(enter));
    expect(tokens).toHaveLength(12);
    expect(tokens).toEqual([...new Set(tokens)].sort((one, other) => one - other));
    expect(new Set(clients.map(({ id }) => id)).size).toBe(3);
    expect(clients[1]?.id).toMatch(/^web~[0-9a-f]{24}$/);
    await closeAll([...clients, ...nodes]);
  });

  it('comes and goes: the next client has the lock at once', async () => {
    const { nodes, client } = site();
    for (let i = 0; i < 5; i++) {
      await using one = await client();
      expect((await one.tryAcquire())?.fencingToken).toBeGreaterThan(0);
    }
    await closeAll(nodes);
  });

  it('needs no more than a majority of the servers', async () => {
    const { nodes, client } = site();
    await nodes[0]?.close();
    await using one = await client();
    await expect(one.run(() => 'done')).resolves.toBe('done');
    await closeAll(nodes);
  });

  it('is authenticated as the servers are', async () => {
    const { nodes, client } = site((transport) =>
      authenticated(transport, { secret: 'sixteen characters' }),
    );
    await using one = await client();
    await expect(one.run(() => 'done')).resolves.toBe('done');
    await closeAll(nodes);
  });

  it('is told at once that a server has revoked; clients do not revoke', async () => {
    const { nodes, client } = site();
    await using one = await client();
    const held = await one.acquire();
    const floor = nodes[0]?.revoke('maintenance');
    expect(await held.lost).toMatchObject({ reason: 'revoked' });
    const { fencingToken } = await one.acquire();
    expect(fencingToken).toBeGreaterThanOrEqual(floor ?? Infinity);
    expect(() => one.revoke('by hand')).toThrow(
      `Node ${one.id} does not vote, so that it does not know what there is to revoke. Call revoke at a server`,
    );
    await one.close();
    await closeAll(nodes);
  });

  it('keeps the lock where servers and clients have keep, and gives it to another client at once', async () => {
    const protocol = leasedMajority({ servers: 3, cancel: true, revoke: true, keep: 60_000 });
    const { nodes, client } = site((transport) => transport, protocol);
    const [one, other] = await Promise.all([client({ protocol }), client({ protocol })]);
    const tokens = [];
    for (let i = 0; i < 3; i++) tokens.push(await one.run(({ fencingToken = 0 }) => fencingToken));
    const [first = 0] = tokens;
    expect(tokens).toEqual([first, first + 1, first + 2]);
    expect(await other.run(({ fencingToken = 0 }) => fencingToken)).toBeGreaterThan(first + 2);
    await closeAll([one, other, ...nodes]);
  });

  it.each([
    [
      'another lease',
      { protocol: leasedMajority({ servers: 3, cancel: true, revoke: true, lease: 20_000 }) },
      'options',
    ],
    ['another epoch', { epoch: 2 }, 'epoch'],
    ['another command', { protocol: leasedMajority({ servers: 3 }) }, 'options'],
  ])('is refused with %s', async (_what, more, named) => {
    const { nodes, client, errors } = site();
    const one = await client(more);
    await expect(one.acquire()).rejects.toMatchObject({
      code: 'refused',
      message: expect.stringContaining(named),
    });
    expect(errors[0]).toMatchObject({ code: 'refused' });
    await expect(nodes[0]?.run(() => 'done')).resolves.toBe('done');
    await closeAll([one, ...nodes]);
  });

  it('refuses what cannot be a client, and servers that cannot serve', async () => {
    const { nodes, client } = site();
    await expect(client({ protocol: ricartAgrawala })).rejects.toThrow(/is no lock of 3 servers/);
    await expect(client({ servers: ['a', 'b'] })).rejects.toThrow(/tolerates no crash/);
    const journal = Object({ journal: { write() {} } });
    await expect(async () => client(journal)).rejects.toThrow(
      /takes no journal: a client has a new name and no past/,
    );
    const { network } = site();
    await expect(client({ transport: () => network.transport('d') })).rejects.toThrow(
      /the transport is that of 'd'/,
    );
    const strict = memoryNetwork(servers);
    const transport = strict.transport('a');
    const serving = { self: 'a', peers: servers, clients: true, transport };
    expect(() => lock({ ...serving, tolerate: 'crash' })).toThrow(
      /takes messages of its peers only/,
    );
    expect(() => lock(ricartAgrawala, serving)).toThrow(/serves no clients/);
    await closeAll(nodes);
  });
});
