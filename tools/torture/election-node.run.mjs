/**
 * One process of a run with elections: while it leads, it ticks. By leases each tick is a write
 * with the token; by messages it is told to the harness with the term. A client tells whom it
 * shows. The argument is its configuration as JSON.
 */
import { join } from 'node:path';
import { electionClient } from '@conclave/coordination';
import { fileStorage } from '@conclave/core/embedding/node';
import { openElection } from './election.mjs';
import { now } from './log.mjs';
import { media, reliably } from './media.mjs';
import { pause } from './random.mjs';
import { storeClient } from './store.mjs';

const config = JSON.parse(process.argv[2]);
const { self, servers, hasClients, incarnation, by, options, medium, address, data } = config;
const store = storeClient(config.store, self, incarnation, () => {});
const onError = ({ code, message }) => store.tell({ error: `${code}: ${message}` });
const peers = servers.filter((node) => node !== self);
const open = (name, more) =>
  media[medium].transport({ self: name, peers, network: 'elections', ...address, ...more });

if (servers.includes(self)) await stand();
else await follow();

async function stand() {
  const bare = await open(self, { clients: hasClients });
  const storage = fileStorage(join(data, `${by}-${self}`));
  const one = await openElection(by, options, {
    ...{ self, peers, storage, onError },
    ...(by === 'lease' ? { transport: bare, clients: hasClients } : { transport: reliably(bare) }),
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
    await pause(10);
  }
}

async function follow() {
  const transport = (name) => open(name, { isClient: true });
  const one = await electionClient({ servers, transport, lease: options.lease, onError });
  setInterval(() => {
    const at = now(); // before it looks: what it shows is judged for this time
    const { leader } = one;
    store.tell({ knows: leader?.id ?? null, leads: false, term: leader?.term, at });
  }, 10);
}
