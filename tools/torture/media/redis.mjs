import { execFileSync } from 'node:child_process';
import { redisTransport } from '@conclave/transport-redis';
import { brokered } from '../brokered.mjs';
import { Broker } from '../servers.mjs';

export const hasBroker = true;
export const hasNetwork = true;

export const server = () =>
  execFileSync('redis-server', ['--version'], { encoding: 'utf8' })
    .match(/v=\S+/)[0]
    .replace('v=', 'redis-server ');

export function start({ processes, nodes, folder }) {
  const commandOf = (port) => [
    'redis-server',
    '--bind',
    '127.0.0.1',
    '--port',
    String(port),
    '--dir',
    folder,
    '--save',
    '',
    '--appendonly',
    'no',
  ];
  return brokered(new Broker(processes, 'redis-server', commandOf), nodes);
}

export const transport = ({ port, ...options }) =>
  redisTransport({ ...options, url: `redis://127.0.0.1:${port}` });
