import { Redis } from 'ioredis';

/** `redlock` on one server. Its other settings are the defaults. */
export async function openRedlock({ urls, network }) {
  const client = new Redis(urls.redis);
  const { default: Redlock } = await import('redlock');
  const redlock = new Redlock([client], { retryCount: -1 });
  redlock.on('error', () => {}); // each attempt that finds the lock taken
  const acquire = async () => {
    const held = await redlock.acquire([network], 10_000);
    return () => held.release();
  };
  return { acquire, roundTrips: async () => () => client.ping() };
}

/** `Mutex` of redis-semaphore, with its defaults. */
export async function openSemaphore({ urls, network }) {
  const client = new Redis(urls.redis);
  const { Mutex } = await import('redis-semaphore');
  const acquire = async () => {
    const mutex = new Mutex(client, network, { acquireTimeout: 60_000 });
    await mutex.acquire();
    return () => mutex.release();
  };
  return { acquire, roundTrips: async () => () => client.ping() };
}
