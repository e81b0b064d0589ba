import { freePort } from '@conclave/core/internal/servers';
import { LoopbackProxy } from './proxy.mjs';

/**
 * A medium in which each process listens, and is reached by each other one through a proxy of their
 * own.
 */
export async function meshed(nodes) {
  const ports = new Map();
  for (const node of nodes) ports.set(node, await freePort());
  const links = [];
  for (const from of nodes)
    for (const to of nodes) {
      if (from === to) continue;
      const proxy = new LoopbackProxy(ports.get(to));
      links.push({ from, to, proxy, port: await proxy.listen() });
    }
  return {
    addressOf: (node) => ({
      listen: ports.get(node),
      ports: Object.fromEntries(
        links.filter(({ from }) => from === node).map(({ to, port }) => [to, port]),
      ),
    }),
    /** Cuts `some` off the others: the processes among them reach each other. */
    cut(some, mode, delay) {
      for (const { from, to, proxy } of links)
        if (some.includes(from) !== some.includes(to)) proxy.set(mode, delay);
    },
    heal() {
      for (const { proxy } of links) if (proxy.mode !== 'pass') proxy.set('pass');
    },
    hits: () => links.reduce((sum, { proxy }) => sum + proxy.hits, 0),
    stop() {
      for (const { proxy } of links) proxy.close();
    },
  };
}
