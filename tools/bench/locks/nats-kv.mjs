import { jetstream } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';

/** A key that is created by the holder and deleted at its release; others watch it. */
export async function open({ urls, self, network }) {
  const connection = await connect({ servers: urls.nats });
  const store = await new Kvm(jetstream(connection)).create(network, { ttl: 60_000 });
  const waiting = new Set();
  const watch = await store.watch({ key: 'lock' });
  void (async () => {
    for await (const { operation } of watch)
      if (operation !== 'PUT') {
        for (const wake of waiting) wake();
        waiting.clear();
      }
  })();
  const acquire = async () => {
    for (;;) {
      const deletion = new Promise((resolve) => {
        waiting.add(resolve);
        // one that was seen before this attempt is not seen again
        setTimeout(resolve, 500).unref();
      });
      try {
        const revision = await store.create('lock', self);
        return () => store.delete('lock', { previousSeq: revision });
      } catch {
        await deletion; // another process has it
      }
    }
  };
  return { acquire, roundTrips: async () => () => connection.rtt() };
}
