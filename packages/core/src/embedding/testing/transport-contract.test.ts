import { times } from '@conclave/tools/sample';
import { broadcastChannelTransport } from '../broadcast-channel.js';
import { handStepped, memoryNetwork } from '../memory.js';
import { messagePortTransport, portsBetween } from '../message-port.js';
import { Bus } from './bus.contract.js';
import { transportContract } from './transport-contract.js';

const inMemory = {
  interrupt: 'it is memory of one process',
  inject: 'it carries objects, and no frames',
  status: 'it is up until it is closed',
  peers: 'a node cannot be unreachable',
  limit: 'it carries references',
};
const { status: _, ...withStatus } = inMemory;

transportContract(
  'memoryNetwork',
  (nodes) => {
    const network = memoryNetwork(nodes);
    return { transport: (id) => network.transport(id), close: async () => {} };
  },
  { impossible: inMemory },
);

transportContract(
  'memoryNetwork in any order',
  (nodes) => {
    const network = memoryNetwork(nodes, {
      order: 'any',
      schedule: (deliver) => setImmediate(deliver),
    });
    return { transport: (id) => network.transport(id), close: async () => {} };
  },
  { impossible: inMemory },
);

transportContract(
  'handStepped, stepped at once',
  (nodes) => {
    const network = handStepped(nodes);
    let open = true;
    const step = () => {
      for (const { from, to } of network.inFlight.slice(0, 1000)) network.deliver(from, to);
      if (open) setImmediate(step);
    };
    setImmediate(step);
    return {
      transport: (id) => network.transport(id),
      close: async () => {
        open = false;
      },
    };
  },
  { impossible: inMemory },
);

transportContract(
  'messagePortTransport',
  (nodes) => {
    const ports = portsBetween(nodes);
    return {
      transport: (id) => {
        const own = ports[id];
        if (!own) throw new Error(`The ports of ${id} are used up`);
        delete ports[id];
        return messagePortTransport(id, own);
      },
      close: async () => {
        for (const own of Object.values(ports)) for (const port of Object.values(own)) port.close();
      },
    };
  },
  { impossible: { ...withStatus, reopen: 'its ports are transferred once' } },
);

transportContract(
  'broadcastChannelTransport',
  () => {
    const name = `contract-${crypto.randomUUID()}`;
    return { transport: (id) => broadcastChannelTransport(id, name), close: async () => {} };
  },
  { impossible: { ...inMemory, members: 'it does not know its peers' } },
);

transportContract('NetworkTransport', (nodes, { maxBytes }) => new Bus(nodes, maxBytes), {
  frames: times(500, 100_000),
});
