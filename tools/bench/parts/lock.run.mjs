/**
 * One process of a measurement of locks: opens its lock, enters while it is told to, and says how
 * long each wait for the lock took.
 */

const opens = {
  conclave: () => import('../locks.mjs').then(({ open }) => open),
  client: () => import('../locks.mjs').then(({ openClient }) => openClient),
  'redis-semaphore': () => openSemaphore,
  postgres: () => openPostgres,
};

const config = JSON.parse(process.argv[2]);
const { acquire, roundTrips } = await (await opens[config.open]())(config);
const ask = await roundTrips();

/** An advisory lock of a session: the server wakes those that wait in their order. */
async function openPostgres({ urls, number }) {
  const { default: pg } = await import('pg');
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
async function openSemaphore({ urls, network }) {
  const [{ Redis }, { Mutex }] = await Promise.all([import('ioredis'), import('redis-semaphore')]);
  const client = new Redis(urls.redis);
  const acquire = async () => {
    const mutex = new Mutex(client, network, { acquireTimeout: 60_000 });
    await mutex.acquire();
    return () => mutex.release();
  };
  return { acquire, roundTrips: async () => () => client.ping() };
}

/** How long the wait took, in milliseconds. A critical section lasts one turn of the event loop. */
async function enter() {
  const start = performance.now();
  const release = await acquire();
  const wait = performance.now() - start;
  await turn();
  await release();
  return wait;
}

/** Without a turn. The loop turns where the lock lets it. */
const enterAndLeave = async () => (await acquire())();

const turn = () => new Promise((resolve) => setImmediate(resolve));

const handlers = {
  /** The first entries of a process: its code is not compiled yet. */
  first: ({ seconds }) => counted(seconds, enter),
  empty: ({ seconds }) => counted(seconds, enterAndLeave),

  async warm({ seconds }) {
    await during(seconds / 2, enter);
    await during(seconds / 2, enterAndLeave);
    return {};
  },

  async trips({ seconds }) {
    const trips = [];
    await during(seconds, async () => {
      const start = performance.now();
      await ask();
      trips.push(performance.now() - start);
    });
    return { roundTrip: trips.sort((a, b) => a - b)[Math.floor(trips.length / 2)] };
  },

  async enter({ seconds }) {
    const waits = [];
    return { waits, seconds: await during(seconds, async () => waits.push(await enter())) };
  },
};

async function counted(seconds, step) {
  let entries = 0;
  const passed = await during(seconds, async () => {
    await step();
    entries++;
  });
  return { entries, seconds: passed };
}

/** Calls `step` again and again for so long. How many seconds passed. */
async function during(seconds, step) {
  const start = performance.now();
  const end = start + 1000 * seconds;
  while (performance.now() < end) await step();
  return (performance.now() - start) / 1000;
}

process.on('message', async ({ type, ...given }) => {
  try {
    process.send({ type, ...(await handlers[type](given)) });
  } catch (error) {
    process.send({ type: 'failed', why: String(error?.message ?? error) });
  }
});
process.send({ type: 'ready' });
