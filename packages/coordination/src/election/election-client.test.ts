/** Clients of an election by leases, which only follow. */

import { bully } from '@conclave/algorithms/bully';
import { lelannChangRoberts } from '@conclave/algorithms/lelann-chang-roberts';
import { memoryNetwork, memoryStorage, type Transport } from '@conclave/core/embedding';
import type { ConclaveError } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { isWhole } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { ElectionClientOptions } from '../client-of.js';
import { lockClient } from '../lock/lock-client.js';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { election } from './election.js';
import { electionClient } from './election-client.js';
import { abc, later, refusal, three, watching } from './elections.contract.js';
import type { Election, ElectionClient, Leader } from './shared-election.js';

const servers = ['a', 'b', 'c'];
const lease = 500;
/** Of leader. */
const changes = isWhole ? 480 : 8;

/** Three servers, and how to make a client. */
function site(wrap: (transport: Transport) => Transport = (transport) => transport) {
  const network = memoryNetwork(servers, { clients: true });
  const errors: ConclaveError[] = [];
  const onError = (error: ConclaveError) => errors.push(error);
  const storages = new Map(servers.map((self) => [self, memoryStorage()]));
  const serve = (self: string, clients = true): Election => {
    const storage = storages.get(self) ?? memoryStorage();
    const transport = wrap(network.transport(self));
    return election({
      by: 'lease',
      self,
      peers: servers,
      transport,
      storage,
      lease,
      clients,
      onError,
    });
  };
  const client = (more: Partial<ElectionClientOptions> = {}) =>
    electionClient({
      servers,
      transport: (self) => wrap(network.transport(self)),
      lease,
      onError: () => {},
      ...more,
    });
  return { serve, client, errors };
}

const closeAll = (some: readonly AsyncDisposable[]) =>
  Promise.all(some.map((one) => one[Symbol.asyncDispose]()));

const leaderOf = async (some: readonly Election[]): Promise<Election> =>
  Promise.race(
    some.map((one) => later(one, (known) => known?.leadership !== undefined).then(() => one)),
  );

/** All that a client shows from now on. */
function seenBy(client: ElectionClient): (Leader | undefined)[] {
  const seen: (Leader | undefined)[] = [];
  client.leader$.subscribe((leader) => seen.push(leader));
  return seen;
}

inVirtualTime();

describe('electionClient', () => {
  it('knows who leads, also when it comes late, and takes no part', async () => {
    const { serve, client, errors } = site();
    const early = await client({ self: 'web' });
    const seen = seenBy(early);
    await pass(50);
    expect([early.leader, early.term]).toEqual([undefined, 0]);
    const nodes = servers.map((self) => serve(self));
    const leader = await leaderOf(nodes);
    const { id, term } = leader.leader ?? {};
    expect(await early.elect({ waitFor: 1_000 })).toEqual({ id, term });
    const late = await client();
    expect(await late.elect({ waitFor: 20 })).toEqual({ id, term });
    await pass(3 * lease);
    expect([early.leader, late.leader, early.term]).toEqual([{ id, term }, { id, term }, term]);
    expect(seen).toEqual([undefined, { id, term }]); // without a gap
    expect(early.id).toMatch(/^web~[0-9a-f]{24}$/);
    expect(early.health).toMatchObject({ state: 'working', transport: 'up', refusals: 0 });
    await closeAll([early, late, ...nodes]);
    expect(seen.at(-1)).toBeUndefined();
    expect((await refusal(early.elect())).code).toBe('closed');
    expect(errors).toEqual([]);
  });

  it('shows growing terms of those that led only, through resignations, restarts and crashes', async () => {
    const { serve, client } = site();
    const nodes = new Map(servers.map((self) => [self, serve(self)]));
    const led = new Set<string>();
    const watch = (one: Election) =>
      one.leader$.subscribe((known) => known?.leadership && led.add(`${known.id} ${known.term}`));
    nodes.forEach(watch);
    const steady = await client();
    const seen = seenBy(steady);
    for (let turn = 0; turn < changes; turn++) {
      const { id, term } = await steady.elect();
      const leader = nodes.get(id);
      if (turn % 2 === 0) leader?.resign();
      else {
        await leader?.close();
        const again = serve(id);
        watch(again);
        nodes.set(id, again);
      }
      await using passing = await client();
      const next = await later(steady as Election, (known) => (known?.term ?? 0) > term);
      expect((await passing.elect()).term).toBeGreaterThanOrEqual(next?.term ?? Infinity);
    }
    const shown = seen.flatMap((known) => known ?? []);
    expect(shown.map(({ id, term }) => `${id} ${term}`).filter((one) => !led.has(one))).toEqual([]);
    const terms = shown.map(({ term }) => term);
    expect(terms).toEqual([...new Set(terms)].sort((x, y) => x - y));
    expect(new Set(terms).size).toBeGreaterThanOrEqual(changes);
    await closeAll([steady, ...nodes.values()]);
  });

  it('hears at once of a resignation', async () => {
    const { serve, client } = site();
    const nodes = servers.map((self) => serve(self));
    await using one = await client();
    const { id } = await one.elect();
    nodes.find((node) => node.id === id)?.resign();
    await pass(5);
    expect(one.leader?.id).not.toBe(id);
    await closeAll(nodes);
  });

  it('knows nobody before the lease of a leader that it does not hear has ended', async () => {
    let isCut = false;
    const { serve, client } = site((transport) => ({
      ...transport,
      send: (to, message) => {
        if (!isCut) transport.send(to, message);
      },
    }));
    const nodes = servers.map((self) => serve(self));
    const leader = await leaderOf(nodes);
    await using one = await client();
    await one.elect();
    isCut = true;
    const lost = leader.leader?.leadership?.lost.then(() => one.leader);
    expect(await later(one as Election, (known) => known === undefined)).toBeUndefined();
    expect(leader.leader?.leadership?.signal.aborted).toBe(false);
    expect(await lost).toBeUndefined();
    await closeAll(nodes);
  });

  it.each([
    ['another lease', { lease: 1_000 }, 'options'],
    ['another epoch', { epoch: 2 }, 'epoch'],
  ])('is refused with %s', async (_what, more, named) => {
    const { serve, client } = site();
    const nodes = servers.map((self) => serve(self));
    const one = await client(more);
    expect(await refusal(one.elect())).toMatchObject({
      code: 'refused',
      message: expect.stringContaining(named),
    });
    expect(one.leader).toBeUndefined();
    await closeAll([one, ...nodes]);
  });

  it('says what to check where the servers do not answer', async () => {
    const { client } = site();
    await using alone = await client();
    expect(await refusal(alone.elect({ waitFor: 100 }))).toMatchObject({
      code: 'timed-out',
      message: `Client ${alone.id} knows no leader after 100 ms. Wait longer, or check that a majority of the servers is up.`,
    });
  });

  it('refuses what cannot follow, and servers that cannot serve', async () => {
    const { client, serve } = site();
    expect(() => serve('a', false)).toThrow(
      'The transport of node a admits clients, and the node serves none. Give the node clients: true',
    );
    await expect(client({ servers: ['a', 'b'] })).rejects.toThrow(
      /^An election by leases of 2 nodes tolerates no crash/,
    );
    await expect(async () => client(Object({ storage: memoryStorage() }))).rejects.toThrow(
      /electionClient takes no storage: a client has a new name/,
    );
    await expect(async () => client(Object({ preferred: 'a' }))).rejects.toThrow(
      "electionClient: there is no option 'preferred'",
    );
    const transport = memoryNetwork(servers).transport('a');
    expect(() =>
      election({ by: 'lease', self: 'a', peers: servers, clients: true, transport }),
    ).toThrow(/takes messages of its peers only/);
    await expect(lockClient({ servers, transport: () => transport })).rejects.toThrow(
      /the transport is that of 'a'/,
    );
  });
});

inVirtualTime();

describe('an election with a failure detector', () => {
  it('tells a leader that has lost contact, and one that has contact again', async () => {
    let isCut = false;
    const via = (transport: Transport): Transport => ({
      ...transport,
      send: (to, message) => {
        if (!isCut || (transport.self !== 'c' && to !== 'c')) transport.send(to, message);
      },
    });
    const [a, b, c] = three({ via, detector: watching });
    await a.elect();
    await pass(1);
    const leadership = c.leader?.leadership;
    isCut = true;
    expect(await leadership?.lost).toMatchObject({
      reason: 'no-contact',
      message:
        'Node c does not lead in term 1 any longer: it has no contact with enough other nodes. Stop the work of the leader.',
    });
    expect(c.leader).toBeUndefined();
    isCut = false;
    expect(await later(c, (leader) => leader?.leadership !== undefined)).toBeDefined();
    for (const one of [a, b, c]) await one.close();
  });

  it('starts an election when a node suspects the leader; one that needs all nodes does not end, and says so', async () => {
    const [a, b, c] = three({ detector: watching });
    await a.elect();
    await pass(1);
    await c.close();
    await later(a, (leader) => leader === undefined);
    expect(a.term).toBeGreaterThanOrEqual(2);
    const { message } = await refusal(a.elect({ waitFor: 50 }));
    expect(message).toBe(
      `Node a knows no leader of term ${a.term} after 50 ms: it suspects c. Start c again, or check on the page of LeLann–Chang–Roberts whether it elects a leader without crashed nodes, as bully does.`,
    );
    for (const one of [a, b]) await one.close();
  });

  it('starts one election against a leader that it suspects, also where that leader lives and wins again', async () => {
    const via = (transport: Transport): Transport => ({
      ...transport,
      send: (to, message) => {
        if (transport.self !== 'c' || message.type !== 'detector-heartbeat')
          transport.send(to, message);
      },
    });
    const [a, b, c] = three({ via, detector: watching });
    await a.elect();
    await later(a, (leader) => (leader?.term ?? 0) > 1);
    await pass(300);
    expect(a.leader?.id).toBe('c');
    expect(a.term).toBeLessThanOrEqual(3); // one of a, one of b
    for (const one of [a, b, c]) await one.close();
  });

  it('abandons an election that has stopped when the missing node is back', async () => {
    const network = memoryNetwork(complete(abc.nodes));
    const on = (self: string, stable = {}) =>
      election(lelannChangRoberts, {
        self,
        topology: abc,
        transport: network.transport(self),
        detector: watching,
        stable,
      });
    const [a, b, c] = [on('a'), on('b'), on('c')];
    await a.elect();
    await pass(1);
    const { stable } = c;
    await c.close();
    await later(a, (leader) => leader === undefined);
    const again = on('c', stable);
    const leaders = await Promise.all(
      [a, b, again].map((one) => later(one, (leader) => leader !== undefined)),
    );
    for (const leader of leaders) expect(leader?.id).toBe('c');
    expect(leaders[0]?.term).toBeGreaterThan(2);
    for (const one of [a, b, again]) await one.close();
  });

  it.each([
    ['that the election is given', bully({ timeout: 200 }), { detector: watching }],
    ['of its own', bully({ timeout: 200, detector: true, period: 40, silence: 200 }), {}],
  ])(
    'has a next leader after a crash, by an algorithm that goes on without crashed nodes, with a detector %s',
    async (_whose, protocol, more) => {
      const network = memoryNetwork(abc.nodes);
      const [a, b, c] = abc.nodes.map((self) =>
        election(protocol, { self, nodes: abc.nodes, transport: network.transport(self), ...more }),
      );
      if (!a || !b || !c) throw new Error('unreachable: three were made');
      expect(await a.elect()).toMatchObject({ id: 'c' });
      const before = a.term;
      const { leadership } = (await later(c, (leader) => leader?.id === 'c')) ?? {};
      await c.close();
      expect((await leadership?.lost)?.reason).toBe('closed');
      const next = await later(b, (leader) => leader?.leadership !== undefined);
      expect(next).toMatchObject({ id: 'b' });
      expect(next?.term).toBeGreaterThan(before);
      expect(await later(a, (leader) => leader?.id === 'b')).toEqual({ id: 'b', term: next?.term });
      for (const one of [a, b]) await one.close();
    },
  );
});
