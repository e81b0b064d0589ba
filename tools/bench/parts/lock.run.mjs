/**
 * One process of a measurement of locks: opens its lock, enters while it is told to, and says how
 * long each wait for the lock took.
 */

const opens = {
  conclave: () => import('../locks.mjs').then(({ open }) => open),
  client: () => import('../locks.mjs').then(({ openClient }) => openClient),
  'redis-semaphore': () => openSemaphore,
  redlock: () => openRedlock,
  postgres: () => openPostgres,
  etcd: () => openEtcd,
  'nats-kv': () => openKey,
  row: () => openRow,
};

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

/** The lock service of etcd, over its HTTP gateway; a lease for each process. */
async function openEtcd({ urls, self, network }) {
  const post = async (path, body) => {
    const answer = await fetch(`${urls.etcd}/v3/${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`etcd, ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { ID } = await post('lease/grant', { TTL: 600 });
  const acquire = async () => {
    const { key } = await post('lock/lock', { name: btoa(network), lease: ID });
    return () => post('lock/unlock', { key });
  };
  const write = { key: btoa(self), value: btoa('by hand') };
  return { acquire, roundTrips: async () => () => post('kv/put', write) };
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

/** On one server, and else with its defaults. */
async function openRedlock({ urls, network }) {
  const [{ Redis }, { Redlock }] = await Promise.all([
    import('ioredis'),
    import('@sesamecare-oss/redlock'),
  ]);
  const client = new Redis(urls.redis);
  const redlock = new Redlock([client], { retryCount: -1 });
  redlock.on('error', () => {}); // each attempt that finds the lock taken
  const acquire = async () => {
    const held = await redlock.acquire([network], 10_000);
    return () => held.release();
  };
  return { acquire, roundTrips: async () => () => client.ping() };
}

async function bucketOf(url) {
  const [{ connect }, { Kvm }] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/kv'),
  ]);
  return new Kvm(await connect({ servers: url })).create('bench');
}

/** A key that its holder creates and deletes; the others watch it. */
async function openKey({ urls, self, network }) {
  const bucket = await bucketOf(urls.nats);
  let wake = () => {};
  void (async () => {
    for await (const { operation } of await bucket.watch({ key: network }))
      if (operation !== 'PUT') wake();
  })();
  const acquire = async () => {
    for (;;) {
      const deletion = new Promise((resolve) => {
        wake = resolve;
        setTimeout(resolve, 500).unref(); // one before this attempt is not seen again
      });
      try {
        const revision = await bucket.create(network, self);
        return () => bucket.delete(network, { previousSeq: revision });
      } catch {
        await deletion; // another process has it
      }
    }
  };
  return { acquire, roundTrips: async () => () => bucket.put(self, '') };
}

/** By the server: the store, and a write by hand of a row or key of its own. */
const stores = {
  async redis(url, { redisStore }, self) {
    const { createClient } = await import('redis');
    const client = await createClient({ url }).connect();
    return { store: redisStore(client), write: () => client.set(self, 'by hand') };
  },
  async nats(url, { natsStore }, self) {
    const bucket = await bucketOf(url);
    return { store: natsStore(bucket), write: () => bucket.put(self, 'by hand') };
  },
  async postgres(url, { postgresStore }, self) {
    const { default: pg } = await import('pg');
    const pool = new pg.Pool({ connectionString: url });
    const store = postgresStore(pool);
    await store.ensure();
    await store.write(self, 'by hand', undefined);
    const text = 'UPDATE conclave_store SET text = $2 WHERE name = $1';
    return { store, write: () => pool.query(text, [self, 'by hand']) };
  },
};

/** A release is written when the next entry begins, as by the others. */
async function openRow({ urls, self, network, server }) {
  const [{ lock }, all] = await Promise.all([
    import('@conclave/coordination'),
    import('@conclave/coordination/store'),
  ]);
  const { store, write } = await stores[server](urls[server], all, self);
  let written;
  const writing = (...words) => {
    written = store.write(...words);
    return written;
  };
  const mine = lock({ store: { ...store, write: writing }, name: network });
  const acquire = async () => {
    const held = await mine.acquire();
    return async () => {
      held.release();
      await turn(); // its node sends at the end of a turn
      return written;
    };
  };
  return { acquire, roundTrips: async () => write };
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

const config = JSON.parse(process.argv[2]);
const { acquire, roundTrips } = await (await opens[config.open]())(config);
const ask = await roundTrips();

process.on('message', async ({ type, ...given }) => {
  try {
    process.send({ type, ...(await handlers[type](given)) });
  } catch (error) {
    process.send({ type: 'failed', why: String(error?.message ?? error) });
  }
});
process.send({ type: 'ready' });
