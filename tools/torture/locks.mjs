/** The locks of one process, by name, over one transport that loses messages. */
import { join } from 'node:path';
import { locks } from '@conclave/algorithms';
import { reliable } from '@conclave/core/embedding';
import { fileJournal, fileStorage } from '@conclave/core/embedding/node';
import { lossy } from './lossy.mjs';
import { media } from './media.mjs';
import { protocolOf } from './protocols.mjs';
import { randomOf } from './random.mjs';

/**
 * On one machine a round trip is short, and the wait for a lost message need not grow to the
 * default of 2 seconds.
 */
const timeouts = { retransmitAfter: 100, mostTimeout: 300 };

/** The transport of this process, which loses messages, and what it has counted. */
export async function openTransport(config, onStatus, options = {}) {
  const { self, nodes, medium, seed, incarnation } = config;
  const bare = await media[medium].transport({
    self,
    peers: nodes.filter((node) => node !== self),
    network: 'torture',
    ...config.address,
    ...options,
  });
  bare.status$?.subscribe(onStatus);
  const random = randomOf(seed, 'loss', self, incarnation);
  const { transport, counts } = lossy(bare, config.conditions, random);
  return { transport, counts: () => ({ ...counts, refused: bare.refused }) };
}

export async function openLocks(config, { onError, onStatus }) {
  const { self, nodes, names, jobs, protocol } = config;
  const peers = nodes.filter((node) => node !== self);
  const { transport, counts } = await openTransport(config, onStatus);
  const data = join(config.data, self);
  // Each line is written at once: a SIGKILL loses none.
  const journalOf = (name) =>
    config.journaled.includes(name)
      ? fileJournal(join(config.folder, 'journals', name), self, { buffer: 1 })
      : undefined;
  const shop = locks({
    self,
    peers,
    protocol: protocolOf(protocol),
    transport: protocol.reliable ? reliable(transport, timeouts) : transport,
    onError,
    journal: journalOf,
    ...(protocol.kill && { storage: (name) => fileStorage(join(data, name)) }),
  });
  return {
    locks: new Map(names.map((name) => [name, shop.open(name)])),
    jobs: new Map(jobs.map((name) => [name, shop.open(name)])),
    counts,
    close: () => shop.close(),
  };
}
