import { LoopbackProxy } from './proxy.mjs';

/** A medium with a broker: each process reaches it through a proxy of its own. */
export async function brokered(broker, nodes) {
  await broker.start();
  const proxies = new Map();
  const ports = new Map();
  for (const node of nodes) {
    const proxy = new LoopbackProxy(broker.port);
    ports.set(node, await proxy.listen());
    proxies.set(node, proxy);
  }
  return {
    broker,
    addressOf: (node) => ({ port: ports.get(node) }),
    /** Cuts each of `some` off the broker. */
    cut(some, mode, delay) {
      for (const node of some) proxies.get(node).set(mode, delay);
    },
    heal() {
      for (const proxy of proxies.values()) if (proxy.mode !== 'pass') proxy.set('pass');
    },
    hits: () => [...proxies.values()].reduce((sum, { hits }) => sum + hits, 0),
    stop() {
      for (const proxy of proxies.values()) proxy.close();
    },
  };
}
