import { setTimeout as sleep } from 'node:timers/promises';
import { lock } from '@conclave/coordination';
import { fileJournal, fileStorage } from '@conclave/core/embedding/node';
import { natsTransport } from '@conclave/transport-nats';

const [, , self = 'a', servers = 'nats://127.0.0.1:4222'] = process.argv;
const peers = ['a', 'b', 'c'].filter((id) => id !== self);
const transport = await natsTransport({ self, peers, network: 'shop', servers });
const kept = { storage: fileStorage(`data/${self}`), journal: fileJournal('journals', self) };
const orders = lock({ tolerate: 'crash', self, peers, transport, ...kept });
for (;;)
  await orders.run(async ({ fencingToken, signal }) => {
    console.log(`${self} has the lock, token ${fencingToken}`);
    await sleep(500, undefined, { signal });
  });
