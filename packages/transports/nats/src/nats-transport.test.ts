import { describeWithServer, startNats, type TestServer, transportContract } from '@conclave/core/embedding/testing';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll } from 'vitest';
import { natsTransport } from './index.js';

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
            reconnectTimeWait: 20,
            reconnectJitter: 5,
          }),
        inject: async (_from, to, frames) => {
          const client = await connect({ servers: server.url });
          for (const frame of frames) client.publish(`conclave.${encodeURIComponent(network)}.${to}`, frame);
          await client.drain();
        },
        interrupt: () => server.kill(),
        resume: () => server.start(),
        close: () => server.start(),
      };
    },
    { impossible: { peers: 'a NATS server does not tell who listens' } },
  );
});
