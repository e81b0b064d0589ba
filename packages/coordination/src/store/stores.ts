/**
 * Stores on servers and in SQLite. A store keeps texts by name, and replaces a text only if it is
 * still the one that the writer has read: a lease in one row and the ticks of a job need nothing
 * else. Each store takes the client that the program has, so this module imports none. For scripts:
 * `fileStore`.
 *
 * A store compares whole texts. Each text has a number that grows, so none comes twice, and to
 * compare texts is to compare versions.
 */
import { ConclaveError } from '@conclave/core/protocol';
import { distinctUntilChanged, exhaustMap, interval, startWith } from 'rxjs';
import type { Store } from './store.js';
import {
  channelOf,
  type NatsBucket,
  notifying,
  type PostgresClient,
  payloadOf,
  type RedisClient,
  watchNats,
  watchPostgres,
  watchRedis,
} from './watches.js';

/**
 * A table in Postgres, one statement each; no session and no prepared statement, so that it works
 * through a pooler. `ensure` makes the table. While a program waits, a connection of the pool listens
 * for what writes notify; not through a pooler, nor by a pool of one connection.
 *
 * @param client such as a `Pool` of `pg`; a `Client` does, and is not listened by
 * @param table letters, digits and `_`, with a schema or without
 * @throws {ConclaveError} `bad-input` for another name.
 * @example const store = postgresStore(new Pool()); await store.ensure();
 */
export function postgresStore(
  client: PostgresClient,
  table = 'conclave_store',
): Store & { ensure(): Promise<void> } {
  if (!/^\w+(\.\w+)?$/.test(table))
    throw new ConclaveError(
      'bad-input',
      `postgresStore: table is '${table}'`,
      'Give a name of letters, digits and _.',
    );
  const channel = (name: string) => channelOf(table, keyOf(name));
  const query = (text: string, values: unknown[]) =>
    client.query(text, values).catch((error) => {
      if (Object(error).code !== undefinedTable) throw error;
      throw new ConclaveError(
        'unavailable',
        `postgresStore: Postgres has no table '${table}'`,
        'Call `ensure` of the store once, before the lock.',
        { cause: error },
      );
    });
  return {
    ensure: async () => {
      const columns = 'name text PRIMARY KEY, text text NOT NULL';
      const make = () => client.query(`CREATE TABLE IF NOT EXISTS ${table} (${columns})`, []);
      await make().catch(make); // it fails where another program makes it at the same time
    },
    read: async (name) => {
      const { rows } = await query(`SELECT text FROM ${table} WHERE name = $1`, [name]);
      return textIn(rows[0]);
    },
    write: async (name, next, previous) => {
      const [write, values] =
        previous === undefined
          ? [`INSERT INTO ${table} VALUES ($1, $2) ON CONFLICT DO NOTHING`, []]
          : [`UPDATE ${table} SET text = $2 WHERE name = $1 AND text = $5`, [previous]];
      const notified = [channel(name), payloadOf(name, next)];
      const { rowCount } = await query(notifying(write), [...[name, next, ...notified, ...values]]);
      return rowCount === 1;
    },
    watch: watchPostgres(client, channel),
  };
}

/** Of the errors of Postgres (SQLSTATE). */
const undefinedTable = '42P01';

const textIn = (row: unknown): string | undefined => {
  const { text } = Object(row);
  return typeof text === 'string' ? text : undefined;
};

const replaceInRedis = `if (redis.call('GET', KEYS[1]) or '') ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
redis.pcall('PUBLISH', KEYS[1], ARGV[1])
return 1`;

/**
 * Keys of one Redis server that writes to disk (`appendonly yes`). Its copies lag: a failover may lose
 * the text of a moment ago, and with it the lock. It is no store for a Redis that fails over. While a
 * program waits, a second connection subscribes to what each write publishes.
 *
 * @param client of `redis`
 * @param prefix of the keys
 */
export const redisStore = (client: RedisClient, prefix = 'conclave:'): Store => ({
  read: async (name) => (await client.get(prefix + name)) ?? undefined,
  write: async (name, next, previous = '') => {
    const options = { keys: [prefix + name], arguments: [next, previous] };
    return (await client.eval(replaceInRedis, options)) === 1;
  },
  watch: watchRedis(client, prefix),
});

/**
 * In milliseconds: how long a locked database is tried again, how often, and how often a row is
 * read.
 */
const [longestTry, retryAfter, lookAfter] = [1_000, 5, 20];

const isLocked = (error: unknown) => /is locked/.test(String(Object(error).message));

/** `node:sqlite` fails at once where another program writes, and to wait in it would block this one. */
async function unlocked<T>(work: () => T): Promise<T> {
  for (const until = performance.now() + longestTry; ; ) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || performance.now() > until) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, retryAfter));
  }
}

/**
 * A table in a file of SQLite, for the programs of one machine. It is made. While another program has
 * locked the file, this one tries again, for a second. A program that waits reads its row each 20 ms.
 *
 * @param database of `node:sqlite`, from Node 22 on, or `better-sqlite3`
 */
export function sqliteStore(database: {
  prepare(text: string): {
    get(...values: string[]): unknown;
    run(...values: string[]): { readonly changes: number | bigint };
  };
}): Store {
  const run = (text: string, ...values: string[]): boolean =>
    Number(database.prepare(text).run(...values).changes) === 1;
  const columns = 'name TEXT PRIMARY KEY, text TEXT NOT NULL';
  const make = () => run(`CREATE TABLE IF NOT EXISTS conclave_store (${columns})`);
  const inTable = <T>(work: () => T): Promise<T> =>
    unlocked(() => {
      make();
      return work();
    });
  const find = 'SELECT text FROM conclave_store WHERE name = ?';
  const read = (name: string) => inTable(() => textIn(database.prepare(find).get(name)));
  try {
    make();
  } catch (error) {
    if (!isLocked(error)) throw error; // it is made later
  }
  return {
    read,
    write: (name, next, previous) =>
      inTable(() =>
        previous === undefined
          ? run('INSERT INTO conclave_store VALUES (?, ?) ON CONFLICT DO NOTHING', name, next)
          : run(
              'UPDATE conclave_store SET text = ? WHERE name = ? AND text = ?',
              ...[next, name, previous],
            ),
      ),
    watch: (name) =>
      interval(lookAfter).pipe(
        exhaustMap(() => read(name)),
        startWith(undefined),
        distinctUntilChanged(),
      ),
  };
}

/**
 * Keys of a bucket of NATS, which a majority of its servers keeps where it has replicas. While a
 * program waits, it watches the key.
 *
 * @param bucket of `@nats-io/kv`
 */
export function natsStore(bucket: NatsBucket): Store {
  /** Of the last names: the text that was seen or written here last, and its revision. */
  const known = new Map<string, { readonly text: string; readonly revision: number }>();
  const remember = (name: string, text: string, revision: number) => {
    known.delete(name);
    known.set(name, { text, revision });
    for (const oldest of known.keys()) if (known.size > 1_000) known.delete(oldest);
  };
  const read = async (name: string) => {
    const found = await bucket.get(keyOf(name));
    if (found?.operation !== 'PUT') return undefined;
    remember(name, found.string(), found.revision);
    return found.string();
  };
  return {
    read,
    write: async (name, next, previous) => {
      if (previous !== undefined && known.get(name)?.text !== previous) await read(name);
      const { text, revision = 0 } = known.get(name) ?? {};
      if (previous !== undefined && text !== previous) return false;
      try {
        const written = await (previous === undefined
          ? bucket.create(keyOf(name), next)
          : bucket.update(keyOf(name), next, revision));
        remember(name, next, written);
        return true;
      } catch (error) {
        if (!/wrong last sequence/i.test(String(Object(error).message))) throw error;
        known.delete(name);
        return false;
      }
    },
    watch: (name) =>
      watchNats(bucket, keyOf(name), (entry) => {
        const isLater = entry.revision > (known.get(name)?.revision ?? 0);
        if (entry.operation === 'PUT' && isLater) remember(name, entry.string(), entry.revision);
      }),
  };
}

/**
 * A name in the letters, digits and few signs that a key of NATS, or a channel of Postgres, may
 * have.
 */
const keyOf = (name: string): string =>
  encodeURIComponent(name)
    .replaceAll('%', '=')
    .replace(/[!'()*~]/g, (sign) => `=${sign.charCodeAt(0).toString(16)}`);
