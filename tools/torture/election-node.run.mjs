/**
 * One process of a run with elections: while it leads, it ticks. By leases each tick is a write
 * with the token; by messages it is told to the harness with the term. A client tells whom it
 * shows. The argument is its configuration as JSON.
 */
import { join } from 'node:path';
import { bully, election, electionClient, heartbeat } from '@conclave/algorithms';
import { reliable } from '@conclave/core/embedding';
import { fileStorage } from '@conclave/core/embedding/node';
import { storeClient } from './client.mjs';
import { now } from './log.mjs';
import { media } from './media.mjs';

const {
  self,
  servers,
  hasClients,
  incarnation,
  by,
  times,
  medium,
  address,
  data,
  store: path,
} = JSON.parse(process.argv[2]);
const store = storeClient(path, self, incarnation, () => {});
const onError = ({ code, message }) => store.tell({ error: `${code}: ${message}` });
const peers = servers.filter((node) => node !== self);
const open = (name, options) =>
  media[medium].transport({ self: name, peers, network: 'elections', ...address, ...options });

if (servers.includes(self)) await stand();
else await follow();

async function stand() {
  const transport = await open(self, { clients: hasClients });
  const storage = fileStorage(join(data, `${by}-${self}`));
  const surroundings = { self, peers, storage, onError };
  const one =
    by === 'lease'
      ? election({ by, ...surroundings, transport, lease: times.lease, clients: hasClients })
      : election(bully({ timeout: times.answer, electAtStart: true }), {
          ...surroundings,
          transport: reliable(transport, { retransmitAfter: 100, mostTimeout: 300 }),
          detector: heartbeat({ period: times.period, timeout: times.silence }),
        });
  one.leader$.subscribe((leader) => {
    const leads = leader?.leadership !== undefined;
    store.tell({ knows: leader?.id ?? null, leads, term: leader?.term, at: now() });
    if (leads) void work(leader.leadership);
  });
}

async function work({ term, fencingToken, signal }) {
  for (let ticks = 1; !signal.aborted; ticks++) {
    if (fencingToken === undefined) store.tell({ tick: term });
    else await store.write('leader', fencingToken, ticks);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function follow() {
  const transport = (name) => open(name, { isClient: true });
  const one = await electionClient({ servers, transport, lease: times.lease, onError });
  setInterval(() => {
    const at = now(); // before it looks: what it shows is judged for this time
    const { leader } = one;
    store.tell({ knows: leader?.id ?? null, leads: false, term: leader?.term, at });
  }, 10);
}
