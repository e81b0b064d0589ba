/** One of the three nodes that vote, and serve the clients. It never enters. */
import { lock } from '@conclave/coordination';
import { fileStorage } from '@conclave/core/embedding/node';
import { natsTransport } from '@conclave/transport-nats';
import { report, serveHealth, stopped } from './program.mjs';

const { NODE_NAME: self, VOTERS = '', NATS: servers, DATA } = process.env;
const nodes = VOTERS.split(',');
const peers = nodes.filter((id) => id !== self);
const orders = lock({
  ...{ tolerate: 'crash', clients: true, self, nodes },
  transport: await natsTransport({ self, peers, network: 'shop', servers, clients: true }),
  storage: fileStorage(`${DATA}/${self}`),
  onError: report,
});
const web = serveHealth(orders);
await stopped;
await orders.close();
web.close();
