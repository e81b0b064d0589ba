/** Clients over TCP that follow an election of three servers: authenticated, and they come and go. */
import { election, electionClient } from '@conclave/coordination';
import { authenticated, memoryStorage } from '@conclave/core/embedding';
import type { ConclaveError } from '@conclave/core/protocol';
import { leftToTest } from '@conclave/tools/sample';
import { afterEach, expect, it } from 'vitest';
import { tcpTransport } from './index.js';

const names = ['a', 'b', 'c'];
const times = { lease: 1_500, renewal: 300 };
const opened: AsyncDisposable[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((one) => one[Symbol.asyncDispose]()));
});

async function servers(errors: ConclaveError[]) {
  const ports = new Map<string, number>();
  for (const self of names) {
    const probe = await tcpTransport({ self, network: 'shop', listen: { port: 0 }, peers: {} });
    ports.set(self, probe.port);
    await probe.close();
  }
  const peersOf = (self?: string) =>
    Object.fromEntries([...ports].flatMap(([id, port]) => (id === self ? [] : [[id, { port }]])));
  const reconnect = { least: 5, most: 50 };
  const open = async (self: string, secret = 'sixteen characters') =>
    authenticated(
      await tcpTransport({
        ...{ self, network: 'shop', peers: peersOf(self), reconnect },
        ...(names.includes(self) && { listen: { port: ports.get(self) ?? 0 }, clients: true }),
      }),
      { secret },
    );
  const nodes = [];
  for (const self of names) {
    const node = election({
      ...{ by: 'lease', self, peers: names, transport: await open(self), clients: true },
      ...{ storage: memoryStorage(), ...times, onError: (error) => errors.push(error) },
    });
    nodes.push(node);
    opened.push(node);
  }
  const client = async (secret?: string) => {
    const transport = (self: string) => open(self, secret);
    const made = await electionClient({ servers: names, transport, ...times, onError: () => {} });
    opened.push(made);
    return made;
  };
  return { nodes, client };
}

it('clients of an election over TCP come and go, and know each leader; one with another secret knows none', async () => {
  leftToTest();
  const errors: ConclaveError[] = [];
  const { nodes, client } = await servers(errors);
  const steady = await client();
  const first = await steady.elect();
  for (let time = 0; time < 2; time++) {
    const passing = await client();
    expect((await passing.elect()).term).toBeGreaterThanOrEqual(first.term);
    await passing.close();
  }
  for (const node of nodes) node.resign();
  for await (const leader of steady) if (leader && leader.term > first.term) break;
  expect((await steady.elect()).term).toBeGreaterThan(first.term);
  const stranger = await client('another sixteen characters');
  await expect(stranger.elect({ waitFor: 400 })).rejects.toMatchObject({ code: 'timed-out' });
  await expect.poll(() => errors.length, { timeout: 10_000 }).toBeGreaterThan(0);
});
