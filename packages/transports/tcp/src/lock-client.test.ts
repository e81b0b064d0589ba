/** Clients of three servers over TCP: they come and go, and nobody is told. */

import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { lock, lockClient } from '@conclave/coordination';
import { memoryStorage, type StableStorage } from '@conclave/core/embedding';
import type { ConclaveError } from '@conclave/core/protocol';
import { proof } from '@conclave/tools/sample';
import { afterEach, describe, expect, it } from 'vitest';
import { tcpTransport } from './index.js';

const names = ['a', 'b', 'c'];
const opened: AsyncDisposable[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one[Symbol.asyncDispose]()));
});

/** A lease that a test can wait for, and that a slow machine can renew. */
const protocol = leasedMajority({ servers: 3, cancel: true, lease: 1_500, renewal: 300 });

/** Three servers on free ports, and how to start one of them again. */
async function servers() {
  const ports = new Map<string, number>();
  const storages = new Map<string, StableStorage>(names.map((name) => [name, memoryStorage()]));
  const errors: ConclaveError[] = [];
  const others = (self: string) =>
    Object.fromEntries(
      names.filter((id) => id !== self).map((id) => [id, { port: ports.get(id) ?? 0 }]),
    );
  const reserve = async (self: string) => {
    const probe = await tcpTransport({ self, network: 'shop', listen: { port: 0 }, peers: {} });
    ports.set(self, probe.port);
    await probe.close();
  };
  for (const self of names) await reserve(self);
  const start = async (self: string) => {
    const transport = await tcpTransport({
      ...{ self, network: 'shop', listen: { port: ports.get(self) ?? 0 }, peers: others(self) },
      ...{ clients: true, reconnect: { least: 5, most: 50 } },
    });
    const storage = storages.get(self);
    const node = lock(protocol, {
      ...{ self, peers: names, transport, clients: true },
      ...(storage && { storage }),
      onError: (error) => errors.push(error),
    });
    opened.push(node);
    return node;
  };
  return { nodes: await Promise.all(names.map(start)), start, ports, errors };
}

async function client(ports: ReadonlyMap<string, number>, name = 'client') {
  let transport: Awaited<ReturnType<typeof tcpTransport>> | undefined;
  const peers = Object.fromEntries([...ports].map(([id, port]) => [id, { port }]));
  const made = await lockClient({
    ...{ servers: names, protocol, self: name, onError: () => {} },
    transport: async (self) => {
      transport = await tcpTransport({
        ...{ self, network: 'shop', peers, reconnect: { least: 5, most: 50 } },
      });
      return transport;
    },
  });
  opened.push(made);
  /** As a process that is killed: it returns nothing. */
  const kill = () => transport?.close();
  return { lock: made, kill };
}

describe('clients of three servers over TCP', () => {
  proof(
    'come and go, are killed in the critical section, and go on while each server restarts',
    async () => {
      const { nodes, start, ports } = await servers();
      const tokens: number[] = [];
      let inside = 0;
      const enter = async (one: Awaited<ReturnType<typeof client>>) =>
        one.lock.run(({ fencingToken = 0 }) => {
          expect(++inside).toBe(1);
          tokens.push(fencingToken);
          inside--;
        });
      const killed = await client(ports, 'killed');
      const held = await killed.lock.acquire();
      tokens.push(held.fencingToken ?? 0);
      await killed.kill();
      const clients = await Promise.all([client(ports), client(ports), client(ports)]);
      await Promise.all(clients.map(enter)); // after the lease of the one that was killed
      for (const [at, node] of nodes.entries()) {
        await node.close();
        await Promise.all(clients.map(enter));
        await (await start(names[at] ?? '')).run(() => {});
        const late = await client(ports, 'late');
        await enter(late);
        await late.lock.close();
      }
      expect(tokens).toHaveLength(1 + 3 + 3 * (3 + 1));
      expect(tokens).toEqual([...new Set(tokens)].sort((one, other) => one - other));
    },
  );

  it('are strangers to a server that serves none', async () => {
    const b = await tcpTransport({ self: 'b', network: 'shop', listen: { port: 0 }, peers: {} });
    opened.push(b);
    const errors: string[] = [];
    const one = await tcpTransport({ self: 'x', network: 'shop', peers: { b: { port: b.port } } });
    opened.push(one);
    one.errors$.subscribe(({ message }) => errors.push(message));
    expect(errors).toEqual([
      'Node b refuses the connection of node x as stranger. Compare their options.',
    ]);
  });

  it('are forgotten by a server when they have gone', async () => {
    const b = await tcpTransport({
      ...{ self: 'b', network: 'shop', listen: { port: 0 }, peers: {}, clients: true },
    });
    opened.push(b);
    const one = await tcpTransport({
      self: 'x~1',
      network: 'shop',
      peers: { b: { port: b.port } },
    });
    b.send('x~1', { type: 'here' });
    expect(b.dropped).toEqual({ unreachable: 0, full: 0 });
    await one.close();
    const sendsToNobody = () => {
      b.send('x~1', { type: 'gone' });
      return b.dropped?.unreachable;
    };
    await expect.poll(sendsToNobody, { timeout: 10_000 }).toBeGreaterThan(0);
  });
});
