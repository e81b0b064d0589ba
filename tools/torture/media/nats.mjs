import { execFileSync } from 'node:child_process';
import { natsTransport } from '@conclave/transport-nats';
import { brokered } from '../brokered.mjs';
import { Broker } from '../servers.mjs';

export const hasBroker = true;
export const hasNetwork = true;

export const server = () => execFileSync('nats-server', ['--version'], { encoding: 'utf8' }).trim();

export function start({ processes, nodes }) {
  return brokered(
    new Broker(processes, 'nats-server', (port) => [
      'nats-server',
      '--addr',
      '127.0.0.1',
      '--port',
      String(port),
    ]),
    nodes,
  );
}

export const transport = ({ port, isClient: _, ...options }) =>
  natsTransport({ ...options, servers: `127.0.0.1:${port}`, reconnectTimeWait: 50 });
