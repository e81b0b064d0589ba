/** Locks by a row, over the real servers. */
import { createRequire } from 'node:module';
import { natsStore, postgresStore, redisStore, sqliteStore } from '@conclave/coordination/store';
import { missingServer, startServer } from '@conclave/core/internal/servers';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import pg from 'pg';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, vi } from 'vitest';
import { storeContract } from '../../packages/coordination/src/store/store.contract.js';
import { folderOfPostgres, startPostgres } from './parts/lock.mjs';

/** Ends what was opened, the last first. */
const ends = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

describe.skipIf(missingServer('redis-server'))('Redis', () => {
  let client;
  beforeAll(async () => {
    const server = await startServer('redis-server');
    client = await createClient({ url: server.url }).connect();
    ends.push(
      () => server.close(),
      () => client.destroy(),
    );
  });
  storeContract('redis', () => redisStore(client));
});

describe.skipIf(missingServer('nats-server'))('NATS', () => {
  const buckets = [];
  let next = 0;
  beforeAll(async () => {
    const server = await startServer('nats-server', { args: ['--jetstream'] });
    ends.push(() => server.close());
    for (let client = 0; client < 4; client++) {
      const connection = await connect({ servers: server.url });
      ends.push(() => connection.close());
      buckets.push(await new Kvm(connection).create('locks'));
    }
  });
  // each client knows revisions of its own
  const stores = [];
  storeContract('nats', () => {
    stores[next % 4] ??= natsStore(buckets[next % 4]);
    return stores[next++ % 4];
  });
});

describe.skipIf(!folderOfPostgres())('Postgres', () => {
  let pool;
  beforeAll(async () => {
    const server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url });
    // `end` does not wait until a connection is closed, and the server ends with it
    pool.on('connect', (client) => client.on('error', () => {}));
    pool.on('error', () => {}); // of a client that is idle
    ends.push(
      () => server.close(),
      () => pool.end(),
    );
    await vi.waitFor(() => postgresStore(pool).ensure(), { timeout: 50_000, interval: 100 });
  }, 60_000);
  storeContract('postgres', () => postgresStore(pool));
});

const require = createRequire(import.meta.url);
const sqlite = Number(process.versions.node.split('.')[0]) >= 22 && require('node:sqlite');
describe.skipIf(!sqlite)('SQLite', () => {
  const database = sqlite && new sqlite.DatabaseSync(':memory:');
  storeContract('sqlite', () => sqliteStore(database));
});
