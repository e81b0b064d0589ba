/**
 * One process of a run with elections: while it leads, it ticks. By leases each tick is a write
 * with the token; by messages it is told to the harness with the term. The argument is its
 * configuration as JSON.
 */
import { join } from 'node:path';
import { bully, election, heartbeat } from '@conclave/algorithms';
import { reliable } from '@conclave/core/embedding';
import { fileStorage } from '@conclave/core/embedding/node';
import { storeClient } from './client.mjs';
import { media } from './media.mjs';

const {
  self,
  nodes,
  incarnation,
  by,
  times,
  address,
  data,
  store: path,
} = JSON.parse(process.argv[2]);
const store = storeClient(path, self, incarnation, () => {});
const transport = await media.tcp.transport({ self, network: 'elections', ...address });
const surroundings = {
  self,
  peers: nodes.filter((node) => node !== self),
  storage: fileStorage(join(data, `${by}-${self}`)),
  onError: ({ code, message }) => store.tell({ error: `${code}: ${message}` }),
};
const one =
  by === 'lease'
    ? election({ by, ...surroundings, transport, lease: times.lease })
    : election(bully({ timeout: times.answer, electAtStart: true }), {
        ...surroundings,
        transport: reliable(transport, { retransmitAfter: 100, mostTimeout: 300 }),
        detector: heartbeat({ period: times.period, timeout: times.silence }),
      });

one.leader$.subscribe((leader) => {
  store.tell({ knows: leader?.id ?? null, leads: leader?.leadership !== undefined });
  if (leader?.leadership) void work(leader.leadership);
});

async function work({ term, fencingToken, signal }) {
  for (let ticks = 1; !signal.aborted; ticks++) {
    if (fencingToken === undefined) store.tell({ tick: term });
    else await store.write('leader', fencingToken, ticks);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
