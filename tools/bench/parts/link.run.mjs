/** Two processes: this one asks `process.argv[2]` times over each link, its child answers. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { tcpTransport } from '@conclave/transport-tcp';
import { reliable } from '../../../packages/core/dist/embedding/index.js';
import { freePort } from '../../../packages/core/dist/embedding/testing/free-port.js';

const ways = { bare: (transport) => transport, reliable };

async function open(self, peer, way, ports) {
  const at = (id) => ({ host: '127.0.0.1', port: ports[way][id] });
  const transport = await tcpTransport({
    ...{ self, network: way, listen: at(self), peers: { [peer]: at(peer) } },
  });
  return ways[way](transport);
}

if (process.send && process.argv[3]) {
  for (const way of Object.keys(ways)) {
    const transport = await open('b', 'a', way, JSON.parse(process.argv[3]));
    transport.received$.subscribe(({ from, message }) => transport.send(from, message));
  }
  process.on('message', () => process.send(process.cpuUsage()));
  process.send('ready');
} else {
  const count = Number(process.argv[2]);
  const ports = {};
  for (const way of Object.keys(ways)) ports[way] = { a: await freePort(), b: await freePort() };
  const child = fork(fileURLToPath(import.meta.url), [String(count), JSON.stringify(ports)]);
  await once(child, 'message');
  const results = {};
  for (const way of Object.keys(ways)) {
    const ask = await asker(way, ports);
    await many(ask, count); // warm
    const before = await cpu(child);
    const trips = await many(ask, count);
    const used = (await cpu(child)) - before;
    results[way] = { trip: trips.sort((a, b) => a - b)[count >> 1], cpu: used / count / 4 };
  }
  child.kill();
  console.log(JSON.stringify(results));
  process.exit();
}

/** A function that sends a message, and waits for it to come back. */
async function asker(way, ports) {
  const transport = await open('a', 'b', way, ports);
  let number = 0;
  let back = () => {};
  transport.received$.subscribe(({ message }) => message.number === number && back());
  return () =>
    new Promise((resolve) => {
      const ask = () => transport.send('b', { type: 'ping', number });
      number++;
      const again = way === 'bare' && setTimeout(ask, 1000); // the other one may not be up
      back = () => {
        clearTimeout(again);
        resolve();
      };
      ask();
    });
}

/** How long each took, in microseconds. */
async function many(ask, count) {
  const trips = [];
  for (let done = 0; done < count; done++) {
    const start = performance.now();
    await ask();
    trips.push(1000 * (performance.now() - start));
  }
  return trips;
}

/** Of both processes, in microseconds. */
async function cpu(child) {
  child.send('cpu');
  const [{ user, system }] = await once(child, 'message');
  const own = process.cpuUsage();
  return user + system + own.user + own.system;
}
