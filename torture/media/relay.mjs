/** A stand-in for a broker: lines of text through one process. */
import { connect } from 'node:net';
import { fileURLToPath } from 'node:url';
import { NetworkTransport } from '@conclave/core/embedding';
import { brokered } from '../brokered.mjs';
import { Broker } from '../servers.mjs';

export const hasBroker = true;
export const hasNetwork = true;

export function start({ processes, nodes }) {
  const program = fileURLToPath(new URL('./relay.run.mjs', import.meta.url));
  return brokered(new Broker(processes, 'relay', (port) => [process.execPath, program, String(port)]), nodes);
}

export function transport({ self, peers, network, port }) {
  let socket;
  let closed = false;
  let up = false;
  const medium = {
    guarantees: { order: 'fifo', loss: true, duplication: false },
    send(to, frame) {
      if (up) socket.write(`${to} ${frame}\n`);
    },
    async close() {
      closed = true;
      socket.end();
    },
  };
  const made = new NetworkTransport({ self, peers, network }, medium);
  const open = () => {
    let rest = '';
    socket = connect(port, '127.0.0.1', () => {
      up = true;
      socket.write(`${self}\n`);
      made.status({ state: 'resumed', gap: true });
    });
    socket.setNoDelay(true);
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop();
      for (const line of lines) made.receive(line.slice(line.indexOf(' ') + 1), line.slice(0, line.indexOf(' ')));
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (up) made.status({ state: 'down', reason: 'the connection ended' });
      up = false;
      if (!closed) setTimeout(open, 20);
    });
  };
  open();
  return made;
}
