/** One of any number of clients: a name, a disk and a place in a list it does not need. */
import { lockClient } from '@conclave/coordination';
import { natsTransport } from '@conclave/transport-nats';
import { report, serveHealth, stopped } from './program.mjs';

const { VOTERS = '', NATS: servers } = process.env;
const voters = VOTERS.split(',');
const orders = await lockClient({
  servers: voters,
  transport: (self) => natsTransport({ self, peers: voters, network: 'shop', servers }),
  onError: report,
});
const web = serveHealth(orders);
const stop = new AbortController();
stopped.then(() => stop.abort());
while (!stop.signal.aborted)
  try {
    await orders.run(({ fencingToken, signal }) => work(fencingToken, signal), {
      signal: stop.signal,
    });
  } catch (error) {
    // lost: another client may have had the lock, so do the work anew
    if (error.code === 'lost') report(error);
    else if (error.code !== 'aborted') throw error;
  }
await orders.close(); // hands over
web.close();

async function work(token, signal) {
  await new Promise((resolve) => setTimeout(resolve, 20));
  signal.throwIfAborted(); // before each write: the lock may be lost
  console.log(`${orders.id} works with token ${token}`);
}
