/** Nodes whose peers never come back: the transport itself compares their terms. */
import { expect, it } from 'vitest';
import type { ConclaveError } from '../base/error.js';
import type { Protocol } from '../protocol/protocol.js';
import { complete, ring } from '../topology/generators.js';
import { needs } from '../topology/index.js';
import type { Topology } from '../topology/topology.js';
import { ball } from './ball.contract.js';
import { embed } from './embed.js';
import type { Embedded } from './embedded.js';
import { handStepped, memoryNetwork } from './memory.js';
import { messagePortTransport, portsBetween } from './message-port.js';
import { reliable } from './reliable.js';
import type { Transport } from './transport.js';

const ids = ['a', 'b'];
const portsOf = () => {
  const ports = portsBetween(ids);
  return (id: string) => messagePortTransport(id, ports[id] ?? {});
};

type Link = (id: string) => Transport;
const links: Readonly<Record<string, () => Link>> = {
  memory: () => {
    const network = memoryNetwork(ids);
    return (id) => network.transport(id);
  },
  'memory, by hand': () => {
    const network = handStepped(ids);
    return (id) => network.transport(id);
  },
  ports: portsOf,
  'reliable ports': () => {
    const transport = portsOf();
    return (id) => reliable(transport(id));
  },
};

/** Embeds a node, and collects what it reports, also where it cannot start. */
function started(protocol: Protocol, self: string, transport: Transport, topology?: Topology) {
  const errors: ConclaveError[] = [];
  const onError = (error: ConclaveError) => errors.push(error);
  const network = topology ? { topology } : { nodes: ids };
  let node: Embedded | undefined;
  try {
    node = embed(protocol, { self, ...network, transport, onError });
  } catch (error) {
    errors.push(error as ConclaveError);
  }
  return { node, errors };
}

const withHands = (hands: number): Protocol => ({ ...ball, options: { hands } });

it.each(Object.entries(links))(
  'over %s, other options are refused by name on both sides',
  async (_, link) => {
    const transport = link();
    const a = started(withHands(1), 'a', transport('a'));
    const b = started(withHands(2), 'b', transport('b'));
    await expect.poll(() => Math.min(a.errors.length, b.errors.length)).toBe(1);
    for (const [{ errors }, self, other, ours, theirs] of [
      [a, 'a', 'b', 1, 2],
      [b, 'b', 'a', 2, 1],
    ] as const)
      expect(errors.map(({ code, what }) => [code, what])).toEqual([
        [
          'refused',
          `Node ${self} refuses ${other}: its 'options' is {"hands":${ours}} at ${self} and {"hands":${theirs}} at ${other}`,
        ],
      ]);
    expect(b.node?.takes({ type: 'throw' }) ?? false).toBe(false);
    await Promise.all([a.node?.close(), b.node?.close()]);
  },
);

it.each(Object.entries(links))('over %s, nodes with the same options start', async (_, link) => {
  const transport = link();
  const both = ids.map((id) => started(withHands(1), id, transport(id)));
  await Promise.all(both.map(({ node }) => node?.admitted));
  expect(both.map(({ errors }) => errors)).toEqual([[], []]);
  await Promise.all(both.map(({ node }) => node?.close()));
});

it('over ports, a node starts when it has heard of each peer that sends to it', async () => {
  const topology = ring(['a', 'b', 'c']);
  const protocol: Protocol = { ...ball, topology: needs.oneWayRing };
  const ports = portsBetween(topology.nodes);
  const [a, b] = ['a', 'b'].map((id) =>
    started(protocol, id, messagePortTransport(id, ports[id] ?? {}), topology),
  );
  await b?.node?.admitted;
  expect([a?.node?.awaited, b?.node?.awaited]).toEqual([['c'], []]);
  const c = started(protocol, 'c', messagePortTransport('c', ports.c ?? {}), topology);
  await Promise.all([a, c].map((started) => started?.node?.admitted));
  await Promise.all([a, b, c].map((started) => started?.node?.close()));
});

it('over ports, where crashes are tolerated, a node starts at once, and hears nothing of one with other options', async () => {
  const tolerant = (hands: number): Protocol => ({ ...withHands(hands), tolerates: ['crash'] });
  const transport = portsOf();
  const a = started(tolerant(1), 'a', transport('a'));
  await a.node?.admitted;
  const b = started(tolerant(2), 'b', transport('b'));
  const codes = () => [a, b].map(({ errors }) => errors.map(({ code }) => code));
  await expect.poll(codes).toEqual([['refused'], ['refused']]);
  await Promise.all([a.node?.close(), b.node?.close()]);
});

it('over ports, where crashes are tolerated, the one of three that differs takes part no longer', async () => {
  const three = ['a', 'b', 'c'];
  const ports = portsBetween(three);
  const nodes = three.map((id) => {
    const protocol: Protocol = { ...withHands(id === 'b' ? 2 : 1), tolerates: ['crash'] };
    return started(protocol, id, messagePortTransport(id, ports[id] ?? {}), complete(three));
  });
  const refusals = () => nodes.map(({ node }) => node?.refusal?.code);
  await expect.poll(refusals).toEqual([undefined, 'refused', undefined]);
  await Promise.all(nodes.map(({ node }) => node?.close()));
});

it('over ports, a node says for whom it waits', async () => {
  const transport = portsOf()('a');
  const told = new Promise<ConclaveError>((onError) =>
    embed(ball, { self: 'a', nodes: ids, transport, reportWaitAfter: 10, onError }),
  );
  expect((await told).message).toMatch(/^Node a is not admitted after 10 ms: it waits for b\. /);
  await transport.close();
});

it('in memory, a node that has closed may come back with other options', async () => {
  const network = memoryNetwork(ids);
  await started(withHands(1), 'a', network.transport('a')).node?.close();
  const both = ids.map((id) => started(withHands(2), id, network.transport(id)));
  expect(both.map(({ errors }) => errors)).toEqual([[], []]);
});
