/** The locks of one process: one for each name, over one transport that loses messages. */
import * as algorithms from '@conclave/algorithms';
import { Inbox, reliable } from '@conclave/core/embedding';
import { topology } from '@conclave/core/topology';
import { lossy } from './lossy.mjs';
import { media } from './media.mjs';
import { randomOf } from './random.mjs';

/** On one machine a round trip is short, and the wait for a lost message need not grow to the default of 2 seconds. */
const timeouts = { retransmitAfter: 100, mostTimeout: 300 };

export async function openLocks(config, { onError, onStatus }) {
  const { self, nodes, names, medium, protocol, seed, incarnation } = config;
  const peers = nodes.filter((node) => node !== self);
  const bare = await media[medium].transport({ self, peers, network: 'torture', ...config.address });
  bare.status$?.subscribe(onStatus);
  const { transport, counts } = lossy(bare, config.conditions, randomOf(seed, 'loss', self, incarnation));
  const named = namesOver(reliable(transport, timeouts), names);
  const made = protocolOf(protocol);
  const surroundings = protocol.network ? { topology: topology(`${protocol.network}:${nodes}`) } : { peers };
  const locks = new Map(
    names.map((name) => [name, algorithms.lock(made, { self, ...surroundings, transport: named.open(name), onError })]),
  );
  return {
    locks,
    counts: () => ({ ...counts, refused: bare.refused }),
    async close() {
      for (const lock of locks.values()) await lock.close();
      await named.close();
    },
  };
}

function protocolOf({ name, options }) {
  const protocol = algorithms[name];
  return options ? protocol(options) : protocol;
}

/** Several networks over one transport. */
function namesOver(transport, names) {
  const inboxes = new Map(names.map((name) => [name, new Inbox()]));
  transport.received$.subscribe(({ from, message: { name, message } }) => inboxes.get(name).put({ from, message }));
  const close = async () => {};
  return {
    open: (name) => ({
      self: transport.self,
      guarantees: transport.guarantees,
      received$: inboxes.get(name).items$,
      send: (to, message) => transport.send(to, { type: 'named', name, message }),
      close,
      [Symbol.asyncDispose]: close,
    }),
    close: () => transport.close(),
  };
}
