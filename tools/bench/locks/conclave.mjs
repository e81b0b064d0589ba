import { join } from 'node:path';
import {
  leasedMajority,
  lock,
  naimiTrehel,
  raymond,
  ricartAgrawala,
} from '../../../packages/algorithms/dist/index.js';
import { memoryStorage, reliable } from '../../../packages/core/dist/embedding/index.js';
import { fileJournal, fileStorage } from '../../../packages/core/dist/embedding/node/index.js';
import { complete, star } from '../../../packages/core/dist/topology/index.js';

const protocols = {
  leasedMajority,
  naimiTrehel,
  raymond,
  ricartAgrawala: () => ricartAgrawala,
};

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

async function transport({ medium, self, peers, urls }, network, ports) {
  const common = { self, network };
  if (medium === 'nats')
    return (await import('@conclave/transport-nats')).natsTransport({
      ...common,
      peers,
      servers: urls.nats,
    });
  const { tcpTransport } = await import('@conclave/transport-tcp');
  const at = (id) => ({ host: '127.0.0.1', port: ports[id] });
  return tcpTransport({
    ...common,
    listen: at(self),
    peers: Object.fromEntries(peers.map((id) => [id, at(id)])),
  });
}

/**
 * Of the bare transport, on a network of its own beside the lock: the first process asks the
 * second one.
 */
async function roundTrips(config) {
  const { self, nodes, network, pingPorts } = config;
  const [first, second] = nodes;
  if (self !== first && self !== second) return undefined;
  const peers = [self === first ? second : first];
  const bare = await transport({ ...config, peers }, `${network}-ping`, pingPorts);
  let answered = () => {};
  bare.received$.subscribe(({ from, message }) => {
    if (message.type === 'ping') bare.send(from, { ...message, type: 'pong' });
    else answered(message.number);
  });
  if (self === second) return undefined;
  let number = 0;
  return () =>
    new Promise((resolve) => {
      number++;
      const ask = () => bare.send(second, { type: 'ping', number });
      const again = setInterval(ask, 100); // the other one may not be up
      answered = (answer) => {
        if (answer !== number) return;
        clearInterval(again);
        resolve();
      };
      ask();
    });
}
