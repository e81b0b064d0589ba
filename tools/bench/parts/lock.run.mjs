/**
 * One process of a measurement of locks: opens its lock, enters while it is told to, and says how
 * long each wait for the lock took.
 */

const opens = {
  conclave: () => import('../locks/conclave.mjs').then(({ open }) => open),
  client: () => import('../locks/conclave.mjs').then(({ openClient }) => openClient),
  'redis-semaphore': () => import('../locks/peers.mjs').then(({ openSemaphore }) => openSemaphore),
  postgres: () => import('../locks/peers.mjs').then(({ openPostgres }) => openPostgres),
};

const config = JSON.parse(process.argv[2]);
const { acquire, roundTrips } = await (await opens[config.open]())(config);
const ask = await roundTrips();

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
