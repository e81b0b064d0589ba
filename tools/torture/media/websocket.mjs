import { fileURLToPath } from 'node:url';
import { webSocketTransport } from '@conclave/transport-websocket';
import { brokered } from '../brokered.mjs';
import { Broker } from '../servers.mjs';

export const hasBroker = true;
export const hasNetwork = true;

export function start({ processes, nodes }) {
  const program = fileURLToPath(new URL('./websocket-relay.run.mjs', import.meta.url));
  return brokered(
    new Broker(processes, 'relay', (port) => [process.execPath, program, String(port)]),
    nodes,
  );
}

export const transport = ({ port, ...options }) =>
  webSocketTransport({
    ...options,
    url: `ws://127.0.0.1:${port}`,
    reconnect: { least: 20, most: 200 },
  });
