import { join } from 'node:path';
import { leasedMajority, naimiTrehel, raymond, ricartAgrawala } from '@conclave/algorithms';
import { lock, lockClient } from '@conclave/coordination';
import { memoryStorage, reliable } from '@conclave/core/embedding';
import { fileJournal, fileStorage } from '@conclave/core/embedding/node';
import { complete, star } from '@conclave/core/topology';

const protocols = {
  leasedMajority,
  naimiTrehel,
  raymond,
  ricartAgrawala: () => ricartAgrawala,
};

/** Five clients. Three voters live in the first three of their processes. */
export async function openClient(config) {
  const { self, nodes, folder, network, ports } = config;
  const voters = nodes.slice(0, 3);
  const peers = voters.filter((id) => id !== self);
  if (voters.includes(self))
    lock({
      ...{ tolerate: 'crash', clients: true, self, nodes: voters },
      transport: await transport({ ...config, peers }, network, ports, { clients: true }),
      storage: fileStorage(join(folder, self)),
    });
  const { tcpTransport } = await import('@conclave/transport-tcp');
  const client = await lockClient({
    servers: voters,
    transport: (name) => tcpTransport({ self: name, network, peers: addressesOf(voters, ports) }),
  });
  const acquire = async () => (await client.acquire()).release;
  return { acquire, roundTrips: () => roundTrips({ ...config, nodes: voters }) };
}

/** A lock by one of the protocols of this repository, over one of its transports. */
export async function open(config) {
  const { protocol, options, isReliable, isDurable, isStar, hasJournal, self, nodes, folder } =
    config;
  const bare = await transport(config, config.network, config.ports);
  const shared = lock(protocols[protocol](options), {
    self,
    topology: isStar ? star(nodes) : complete(nodes),
    transport: isReliable ? reliable(bare) : bare,
    storage: isDurable ? fileStorage(join(folder, self)) : memoryStorage(),
    ...(hasJournal && { journal: fileJournal(join(folder, 'journals'), self) }),
  });
  const acquire = async () => (await shared.acquire()).release;
  return { acquire, roundTrips: () => roundTrips(config) };
}

const addressesOf = (ids, ports) =>
  Object.fromEntries(ids.map((id) => [id, { host: '127.0.0.1', port: ports[id] }]));

async function transport({ medium, self, peers, urls }, network, ports, more = {}) {
  const common = { self, network, ...more };
  if (medium === 'nats')
    return (await import('@conclave/transport-nats')).natsTransport({
      ...common,
      peers,
      servers: urls.nats,
    });
  const { tcpTransport } = await import('@conclave/transport-tcp');
  return tcpTransport({
    ...common,
    listen: addressesOf([self], ports)[self],
    peers: addressesOf(peers, ports),
  });
}

/**
 * Of the bare transport, on a network of its own beside the lock: the first process asks the second,
 * or all the others, and waits until `half` or `all` of them have answered.
 */
async function roundTrips(config) {
  const { self, nodes, network, pingPorts, answers: awaited } = config;
  const [first, ...others] = nodes;
  const asked = awaited === 'one' ? others.slice(0, 1) : others;
  if (self !== first && !asked.includes(self)) return undefined;
  const peers = self === first ? asked : [first];
  const bare = await transport({ ...config, peers }, `${network}-ping`, pingPorts);
  let answered = () => {};
  bare.received$.subscribe(({ from, message }) => {
    if (message.type === 'ping') bare.send(from, { ...message, type: 'pong' });
    else answered(message.number);
  });
  if (self !== first) return undefined;
  const enough = awaited === 'half' ? Math.ceil(asked.length / 2) : asked.length;
  let number = 0;
  return () =>
    new Promise((resolve) => {
      number++;
      let answers = 0;
      const ask = () => {
        for (const peer of asked) bare.send(peer, { type: 'ping', number });
      };
      const again = setInterval(ask, 100); // another one may not be up
      answered = (answer) => {
        if (answer !== number) return;
        answers++;
        if (answers !== enough) return;
        clearInterval(again);
        resolve();
      };
      ask();
    });
}
