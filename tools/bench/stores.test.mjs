/** Locks by a row, over the real servers. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lock } from '@conclave/coordination';
import { natsStore, postgresStore, redisStore, sqliteStore } from '@conclave/coordination/store';
import { missingServer, startServer } from '@conclave/core/internal/servers';
import { quickOf } from '@conclave/tools/sample';
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
import { folderOfPostgres, missingPgBouncer, startPgBouncer, startPostgres } from './postgres.mjs';

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

/** Where a pooler stands before Postgres: its modes, and how many connections it has to Postgres. */
const modes = { session: 20, transaction: 2, statement: 2 };
const tried = quickOf(Object.entries(modes), ([mode]) => mode === 'transaction');
const patience = { timeout: 60_000 };

it('says on the page through which pooler the store was tried', () => {
  const page = readFileSync(new URL('../../docs/choosing-a-lock.md', import.meta.url), 'utf8');
  expect(page).toContain(`works through PgBouncer, \`pool_mode\` ${Object.keys(modes).join(', ')}`);
});

describe.skipIf(!folderOfPostgres())('Postgres', () => {
  let server;
  let pool;
  const open = async ({ url, close }) => {
    const opened = new pg.Pool({ connectionString: url });
    // `end` does not wait until a connection is closed, and the server ends with it
    opened.on('connect', (client) => client.on('error', () => {}));
    opened.on('error', () => {}); // of a client that is idle
    ends.push(close, () => opened.end());
    await vi.waitFor(() => postgresStore(opened).ensure(), { timeout: 50_000, interval: 100 });
    return opened;
  };
  beforeAll(async () => {
    server = await startPostgres();
    pool = await open(server);
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

  // <!-- program: lock-beside-postgres -->
  it('is opened by the program of the page', async () => {
    const page = readFileSync(new URL('../../docs/choosing-a-lock.md', import.meta.url), 'utf8');
    const [, program] = /lock-beside-postgres -->\n```js\n([\s\S]+?)```/.exec(page) ?? [];
    const { hostname, port, username, pathname } = new URL(server.url);
    const env = { PGHOST: hostname, PGPORT: port, PGUSER: username, PGDATABASE: pathname.slice(1) };
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--input-type=module', '-e', `${program}console.log(await store.read('none')); pool.end();`],
      { cwd: dirname(fileURLToPath(import.meta.url)), env: { ...process.env, ...env } },
    );
    expect(stdout).toBe('undefined\n');
  });

  it('says how to make a missing table', async () => {
    const store = postgresStore(pool, 'not_made');
    const error = { code: 'unavailable', cure: expect.stringContaining('`ensure`') };
    await expect(store.read('a')).rejects.toMatchObject(error);
    await expect(store.write('a', 'text', undefined)).rejects.toMatchObject(error);
  });

  it('refuses a smaller token by the statements of the page', async () => {
    const page = readFileSync(new URL('../../docs/fencing.md', import.meta.url), 'utf8');
    const [, statements = ''] = /```sql\n([\s\S]+?)```/.exec(page) ?? [];
    const [alter, read, write] = statements.replace(/^--.*$/gm, '').split(';');
    await pool.query('CREATE TABLE stock (item text PRIMARY KEY, quantity int)');
    await pool.query("INSERT INTO stock VALUES ('pen', 5)");
    await pool.query(alter);
    const reads = async (token) => (await pool.query(read, ['pen', token])).rows;
    const writes = async (...values) => (await pool.query(write, ['pen', ...values])).rowCount;
    expect(await reads(11)).toEqual([{ quantity: 5 }]);
    expect(await reads(13)).toEqual([{ quantity: 5 }]);
    expect(await reads(11)).toEqual([]);
    expect(await writes(11, 4)).toBe(0);
    expect(await writes(13, 3)).toBe(1);
    expect(await reads(13)).toEqual([{ quantity: 3 }]);
  });

  const missing = missingPgBouncer();
  describe.skipIf(missing).each(tried)(`PgBouncer ${missing ?? ''}%s`, (mode, size) => {
    let through;
    beforeAll(async () => {
      through = await open(await startPgBouncer(server.url, mode, size));
    }, 60_000);
    storeContract(mode, () => postgresStore(through));

    it('tells a program that has no pooler what those that have one write, and tells these nothing', async () => {
      const told = [];
      const watch = postgresStore(pool)
        .watch(mode)
        .subscribe((text) => told.push(text));
      await vi.waitFor(() => expect(told).toEqual([undefined]), patience);
      const store = postgresStore(through);
      expect(await lastValueFrom(store.watch(mode), { defaultValue: 'nothing' })).toBe('nothing');
      await store.write(mode, 'one', undefined);
      await vi.waitFor(() => expect(told).toEqual([undefined, 'one']), patience);
      watch.unsubscribe();
    });
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
  const file = join(mkdtempSync(join(tmpdir(), 'conclave-sqlite-')), 'rows');
  ends.push(() => rmSync(dirname(file), { recursive: true }));
  const open = () => {
    const database = new sqlite.DatabaseSync(file);
    ends.push(() => database.close());
    return database;
  };
  const database = sqlite && open();
  storeContract('sqlite', () => sqliteStore(database));
  watchContract('sqlite', () => sqliteStore(database));

  it('tries again while another program has locked the database, for a second', async () => {
    database.exec('BEGIN EXCLUSIVE');
    const store = sqliteStore(open());
    await expect(store.read('row')).rejects.toThrow('database is locked');
    const written = store.write('row', 'one', undefined);
    database.exec('ROLLBACK');
    expect(await written).toBe(true);
  });
});
