/** The connection of a process to the store and to the harness. */
import { connect } from 'node:net';
import { eachLine, lineOf } from './lines.mjs';

export function storeClient(path, node, incarnation, onOrder) {
  const socket = connect(path);
  const waiting = new Map();
  let requests = 0;
  socket.on('error', () => process.exit(0));
  socket.on('close', () => process.exit(0)); // the harness is gone
  eachLine(socket, (message) => {
    if (message.id === undefined) return onOrder(message);
    waiting.get(message.id)(message);
    waiting.delete(message.id);
  });
  socket.write(lineOf({ hello: node, incarnation }));
  const request = (fields) =>
    new Promise((resolve) => {
      const id = ++requests;
      waiting.set(id, resolve);
      socket.write(lineOf({ ...fields, id }));
    });
  return {
    read: (name, token) => request({ op: 'read', name, token }),
    write: (name, token, value) => request({ op: 'write', name, token, value }),
    tick: (name, token, tick) => request({ op: 'tick', name, token, value: tick }),
    tell: (message) => socket.write(lineOf(message)),
  };
}
