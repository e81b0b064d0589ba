import { tcpTransport } from '@conclave/transport-tcp';
import { meshed } from '../meshed.mjs';

export const hasBroker = false;
export const hasNetwork = true;

export const start = ({ nodes }) => meshed(nodes);

/** @param isClient it listens nowhere, and connects to all */
export function transport({ self, peers, network, listen, ports, isClient, clients = false }) {
  return tcpTransport({
    ...{ self, network, clients },
    ...(!isClient && { listen: { port: listen } }),
    peers: Object.fromEntries(peers.map((peer) => [peer, { port: ports[peer] }])),
    heartbeat: 100,
    reconnect: { least: 20, most: 200 },
  });
}
