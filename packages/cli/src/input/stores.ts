/**
 * The store that `--store` names: a folder, or the address of a server. The command depends on no
 * client of a server. It loads the one that it needs from the packages of the folder where it runs,
 * and each opener says which parts of it are used.
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Store } from '@conclave/coordination';
import type {
  natsStore,
  postgresStore,
  redisStore,
  sqliteStore,
} from '@conclave/coordination/store';
import { ConclaveError } from '@conclave/core/protocol';
import { badInput } from '../errors.js';

interface OpenStore {
  readonly store: Store;
  readonly close: () => unknown;
}

type OnError = { on(event: 'error', listener: () => void): unknown };
type Pool = Parameters<typeof postgresStore>[0] & OnError & { end(): Promise<void> };
type Redis = Parameters<typeof redisStore>[0] &
  OnError & { connect(): Promise<unknown>; destroy(): void };
type Database = Parameters<typeof sqliteStore>[0] & { close(): void };
type Opened<T> = new (path: string) => T;

/** For the error of a server that ends: the store fails until it is back, and the lock says so. */
const ignored = () => {};

const openers: Readonly<Record<string, (address: string) => Promise<OpenStore>>> = {
  postgres: async (connectionString) => {
    const { default: pg } = await client<{
      default: { Pool: new (options: { connectionString: string }) => Pool };
    }>('pg');
    const pool = new pg.Pool({ connectionString });
    pool.on('error', ignored);
    const open = async () => {
      const store = (await stores()).postgresStore(pool);
      await store.ensure();
      return store;
    };
    return openOrClose(open, () => pool.end());
  },
  redis: async (url) => {
    const { createClient } = await client<{ createClient(options: { url: string }): Redis }>(
      'redis',
    );
    const redis = createClient({ url });
    const open = async () => {
      await redis.connect(); // throws where there is no server, as long as no listener takes errors
      redis.on('error', ignored);
      return (await stores()).redisStore(redis);
    };
    return openOrClose(open, () => redis.destroy());
  },
  nats: async (servers) => {
    const { connect } = await client<{
      connect(options: {
        servers: string;
        maxReconnectAttempts: number;
      }): Promise<{ close(): Promise<void> }>;
    }>('@nats-io/transport-node');
    const { Kvm } = await client<{
      Kvm: new (
        connection: unknown,
      ) => { create(name: string): Promise<Parameters<typeof natsStore>[0]> };
    }>('@nats-io/kv');
    const connection = await connect({ servers, maxReconnectAttempts: -1 });
    const open = async () =>
      (await stores()).natsStore(await new Kvm(connection).create('conclave'));
    return openOrClose(open, () => connection.close());
  },
  sqlite: async (address) => {
    const path = address.slice('sqlite:'.length);
    const builtIn = process.getBuiltinModule('node:sqlite') as
      | { DatabaseSync: Opened<Database> }
      | undefined; // from Node 22 on
    const Database =
      builtIn?.DatabaseSync ??
      (await client<{ default: Opened<Database> }>('better-sqlite3')).default;
    const database = new Database(path);
    return { store: (await stores()).sqliteStore(database), close: () => database.close() };
  },
};
const aliases: Readonly<Record<string, string>> = { postgresql: 'postgres', rediss: 'redis' };

const stores = () => import('@conclave/coordination/store');

/** The connection ends with the store, and where the store does not open. */
async function openOrClose(open: () => Promise<Store>, close: () => unknown): Promise<OpenStore> {
  try {
    return { store: await open(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @throws {ConclaveError} `bad-input` where the package is not installed in the current folder. */
async function client<T>(name: string): Promise<T> {
  const require = createRequire(join(process.cwd(), 'here'));
  let path: string;
  try {
    path = require.resolve(name);
  } catch {
    throw badInput(
      `This store needs the package '${name}', which is not installed where the command runs`,
      `Install it there: npm install ${name}.`,
    );
  }
  return import(pathToFileURL(path).href); // as its documentation says
}

/**
 * A folder, which is made, or the address of a server.
 *
 * @throws {Error} for an address of none that it knows, and where its client is not installed.
 */
export async function openStore(given: string): Promise<OpenStore> {
  const [, scheme] = /^([a-z][a-z0-9+]+):/.exec(given) ?? []; // a drive has one letter
  if (scheme === undefined) {
    const { fileStore } = await import('@conclave/coordination/node');
    return { store: fileStore(given), close: () => {} };
  }
  const open = openers[aliases[scheme] ?? scheme];
  if (!open)
    throw badInput(
      `There is no store '${scheme}:'`,
      'Give a folder, or postgres://…, redis://…, nats://… or sqlite:FILE.',
    );
  try {
    return await open(given);
  } catch (error) {
    if (error instanceof ConclaveError) throw error;
    const why = error instanceof Error ? error.message || error.name : error;
    throw badInput(
      `The store ${given.replace(/\/\/.*@/, '//…@')} cannot be opened: ${why}`, // no password
      'Is the server up, and the address right?',
    );
  }
}
