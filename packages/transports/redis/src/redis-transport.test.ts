import { once } from 'node:events';
import { connect } from 'node:net';
import { describeWithServer, startRedis, type TestServer, transportContract } from '@conclave/core/embedding/testing';
import { afterAll, beforeAll } from 'vitest';
import { redisTransport } from './index.js';

describeWithServer('redis-server', 'redisTransport', () => {
  let server: TestServer;
  let round = 0;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(async () => {
    await server?.close();
  });

  transportContract('redisTransport', (nodes, { maxBytes }) => {
    const network = `shop ${round++}`;
    return {
      network,
      transport: (self) =>
        redisTransport({
          self,
          peers: nodes.filter((id) => id !== self),
          network,
          maxBytes,
          url: server.url,
          socket: { reconnectStrategy: 20 },
        }),
      inject: async (_from, to, frames) => {
        const socket = connect(server.port, '127.0.0.1').resume(); // the client of Redis takes twice as long
        const channel = Buffer.from(`conclave:${encodeURIComponent(network)}:${to}`);
        socket.end(Buffer.concat(frames.map((frame) => commandOf('PUBLISH', channel, frame))));
        await once(socket, 'finish');
      },
      interrupt: () => server.kill(),
      resume: () => server.start(),
      close: () => server.start(),
    };
  });
});

/** A command in the protocol of Redis. */
const commandOf = (...parts: readonly (string | Uint8Array)[]): Buffer =>
  Buffer.concat([
    Buffer.from(`*${parts.length}\r\n`),
    ...parts.flatMap((part) => [Buffer.from(`$${part.length}\r\n`), Buffer.from(part), Buffer.from('\r\n')]),
  ]);
