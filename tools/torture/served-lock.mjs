/** The lock of a process beside servers: of one of them, or of one of their clients. */
import { join } from 'node:path';
import { lock, lockClient } from '@conclave/algorithms';
import { fileStorage } from '@conclave/core/embedding/node';
import { openTransport } from './locks.mjs';
import { protocolOf } from './protocols.mjs';

export async function openServedLock(config, { onError, onStatus }) {
  const { self, names, protocol } = config;
  const { servers } = protocol;
  const peers = servers.filter((node) => node !== self);
  const isClient = !servers.includes(self);
  let counts;
  const open = async (name) => {
    const clients = !isClient;
    const opened = await openTransport(config, onStatus, { self: name, peers, isClient, clients });
    counts = opened.counts;
    return opened.transport;
  };
  const its = isClient
    ? await lockClient({
        servers,
        transport: open,
        self,
        protocol: protocolOf(protocol),
        onError,
      })
    : lock(protocolOf(protocol), {
        self,
        peers: servers,
        clients: true,
        transport: await open(self),
        storage: fileStorage(join(config.data, self, 'lock')),
        onError,
      });
  return {
    locks: new Map([[names[0], its]]),
    jobs: new Map(),
    counts: () => counts(),
    close: () => its.close(),
  };
}
