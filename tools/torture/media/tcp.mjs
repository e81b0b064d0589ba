import { tcpTransport } from '@conclave/transport-tcp';
import { meshed } from '../meshed.mjs';

export const hasBroker = false;
export const hasNetwork = true;

export const start = ({ nodes }) => meshed(nodes);

export function transport({ self, network, listen, ports }) {
  const peers = Object.fromEntries(Object.entries(ports).map(([peer, port]) => [peer, { port }]));
  return tcpTransport({
    self,
    network,
    listen: { port: listen },
    peers,
    heartbeat: 100,
    reconnect: { least: 20, most: 200 },
  });
}
