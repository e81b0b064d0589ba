/** Locks by a row, over the real servers. */
import { createRequire } from 'node:module';
import { lock } from '@conclave/coordination';
import { natsStore, postgresStore, redisStore, sqliteStore } from '@conclave/coordination/store';
import { missingServer, startServer } from '@conclave/core/internal/servers';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import pg from 'pg';
import { createClient } from 'redis';
import { lastValueFrom, tap } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  storeContract,
  watchContract,
} from '../../packages/coordination/src/store/store.contract.js';
import { folderOfPostgres, startPostgres } from './postgres.mjs';

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
  watchContract(
    'redis',
    () => redisStore(client),
    async () => (await client.sendCommand(['PUBSUB', 'CHANNELS'])).length,
  );
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
  watchContract(
    'nats',
    () => natsStore(buckets[next++ % 4]),
    async () => (await buckets[0].status()).streamInfo.state.consumer_count,
  );
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
  const listening = async () => {
    const { rows } = await pool.query(
      "SELECT count(*) FROM pg_stat_activity WHERE query ~ '^(LISTEN|SELECT pg_advisory)'",
    );
    return Number(rows[0].count);
  };
  watchContract('postgres', () => postgresStore(pool), listening);

  it('notifies only where somebody listens', async () => {
    const store = postgresStore(pool);
    const heard = [];
    const connection = await pool.connect();
    connection.on('notification', ({ payload }) => heard.push(JSON.parse(payload).text));
    await connection.query('LISTEN "conclave_store.notified"');
    await store.write('notified', 'alone', undefined);
    let isTold = false;
    const watch = store.watch('notified').subscribe(() => {
      isTold = true;
    });
    await vi.waitFor(() => expect(isTold).toBe(true));
    await store.write('notified', 'watched', 'alone');
    await vi.waitFor(() => expect(heard).toEqual(['watched']));
    watch.unsubscribe();
    connection.release(true);
  });

  /** As behind a pooler, a connection has another process than it was told. */
  const throughPooler = async () => {
    const connection = await pool.connect();
    connection.processID = 1;
    return connection;
  };
  it.each([
    ['through a pooler', { max: 10 }, throughPooler],
    ['by a pool of one connection', { max: 1 }, () => Promise.reject(new Error('none is left'))],
  ])('is not listened to %s, and lets programs that wait enter', async (name, options, connect) => {
    const query = (text, values) => pool.query(text, values);
    const store = postgresStore({ query, options, connect });
    const one = lock({ store, name, self: 'one' });
    const two = lock({ store, name, self: 'two', poll: 20 });
    const held = await one.acquire();
    const waits = two.acquire({ waitFor: 60_000 });
    let told = 0;
    await lastValueFrom(store.watch(name).pipe(tap(() => told++)), { defaultValue: undefined });
    expect(told).toBe(0);
    held.release();
    (await waits).release();
    await Promise.all([one.close(), two.close()]);
    await vi.waitFor(async () => expect(await listening()).toBe(0));
  });
});

const require = createRequire(import.meta.url);
const sqlite = Number(process.versions.node.split('.')[0]) >= 22 && require('node:sqlite');
describe.skipIf(!sqlite)('SQLite', () => {
  const database = sqlite && new sqlite.DatabaseSync(':memory:');
  storeContract('sqlite', () => sqliteStore(database));
});
