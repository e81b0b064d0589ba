import { Redis } from 'ioredis';
import pg from 'pg';
import { Mutex } from 'redis-semaphore';

/** An advisory lock of a session: the server wakes those that wait in their order. */
export async function openPostgres({ urls, number }) {
  const client = new pg.Client({ connectionString: urls.postgres });
  await client.connect();
  const query = (name, text) => client.query({ name, text, values: [number] });
  const acquire = async () => {
    await query('acquire', 'select pg_advisory_lock($1)');
    return () => query('release', 'select pg_advisory_unlock($1)');
  };
  return { acquire, roundTrips: async () => () => query('ping', 'select $1::bigint') };
}

/** `Mutex` of redis-semaphore, with its defaults. */
export async function openSemaphore({ urls, network }) {
  const client = new Redis(urls.redis);
  const acquire = async () => {
    const mutex = new Mutex(client, network, { acquireTimeout: 60_000 });
    await mutex.acquire();
    return () => mutex.release();
  };
  return { acquire, roundTrips: async () => () => client.ping() };
}
