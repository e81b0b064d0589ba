import { once } from 'node:events';
import { join } from 'node:path';
import { transportContract } from '@conclave/core/embedding/testing';
import { proof, times } from '@conclave/tools/sample';
import { WebSocket } from 'ws';
import { runTwoTerminals } from '../../nats/src/broker.contract.js';
import { webSocketTransport } from './index.js';
import { type Relay, relay } from './relay/index.js';
import { lineOf, parameters, wireVersion } from './socket.js';

const rate = Number.MAX_SAFE_INTEGER; // the fuzz test floods
let round = 0;

transportContract(
  'webSocketTransport',
  async (nodes, { maxBytes }) => {
    const network = `shop ${round++}`;
    const limits = { maxBytes: 2 * maxBytes + 1024, maxRate: rate };
    let server: Relay = await relay(limits);
    const { port, url } = server;
    return {
      network,
      transport: (self) =>
        webSocketTransport({
          self,
          peers: nodes.filter((id) => id !== self),
          network,
          maxBytes,
          url,
          reconnect: { least: 5, most: 50 },
        }),
      inject: async (from, to, frames) => {
        const query = new URLSearchParams({
          [parameters.network]: network,
          [parameters.node]: from,
          [parameters.version]: wireVersion,
        });
        const socket = new WebSocket(`${url}?${query}`);
        await once(socket, 'message'); // the welcome
        for (const frame of frames) socket.send(Buffer.concat([Buffer.from(lineOf(to)), frame]));
        socket.close();
        await once(socket, 'close');
      },
      interrupt: () => server.close(),
      resume: async () => {
        server = await relay({ ...limits, port });
      },
      close: () => server.close(),
    };
  },
  { frames: times(500, 100_000) },
);

proof('runs the program of the README in two terminals', async () => {
  await using server = await relay();
  await runTwoTerminals(join(import.meta.dirname, '..'), (code) =>
    code.replace('ws://127.0.0.1:4100', server.url),
  );
});
