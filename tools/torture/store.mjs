/**
 * The store that the locks guard: a counter in a file for each name. It keeps the largest fencing
 * token of each name, refuses a smaller one, and logs every read and write. The processes reach it,
 * and the harness reaches them, over one socket each.
 */
import { EventEmitter } from 'node:events';
import { openSync, writeSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { appender } from './log.mjs';

/**
 * Emits `accepted` (node, name, token) for each write, `ticked` (node, name) for each tick of a job,
 * and `told` (node, incarnation, message) for what is no request to the store.
 */
export class Store extends EventEmitter {
  writes = 0;
  refused = 0;
  #cells = new Map();
  /** The largest token of each job. */
  #jobs = new Map();
  #sockets = new Map();
  #server = createServer((socket) => this.#serve(socket));
  #log;

  constructor(folder, names) {
    super();
    this.path = join(folder, 'store.sock');
    this.#log = appender(join(folder, 'store.log'));
    for (const name of names) {
      const cell = {
        value: 0,
        token: -Infinity,
        file: openSync(join(folder, `counter-${name}`), 'w'),
      };
      this.#cells.set(name, cell);
      writeValue(cell);
    }
  }

  listen() {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.path, resolve);
    });
  }

  /** Sends an order to a process. False where it is not connected. */
  order(node, order) {
    const socket = this.#sockets.get(node);
    if (!socket) return false;
    socket.write(lineOf(order));
    return true;
  }

  close() {
    for (const socket of this.#sockets.values()) socket.destroy();
    this.#server.close();
  }

  #serve(socket) {
    let node;
    let incarnation;
    socket.on('error', () => {}); // a killed process: `close` follows
    socket.on('close', () => this.#sockets.get(node) === socket && this.#sockets.delete(node));
    eachLine(socket, (message) => {
      if (message.hello !== undefined) {
        ({ hello: node, incarnation } = message);
        this.#sockets.set(node, socket);
        this.emit('told', node, incarnation, { state: 'started' });
      } else if (message.op !== undefined)
        socket.write(
          lineOf(
            message.op === 'tick'
              ? this.#tick(node, incarnation, message)
              : this.#access(node, incarnation, message),
          ),
        );
      else this.emit('told', node, incarnation, message);
    });
  }

  /** Does a tick of a job. */
  #tick(node, incarnation, { id, op, name, token, value: tick }) {
    const largest = this.#jobs.get(name) ?? Number.NEGATIVE_INFINITY;
    const accepted = token >= largest;
    if (accepted) this.#jobs.set(name, token);
    this.#log(op, node, incarnation, name, accepted ? 'accepted' : 'refused', token, tick);
    if (accepted) this.emit('ticked', node, name);
    return { id, accepted };
  }

  /** Reads or writes a counter. */
  #access(node, incarnation, { id, op, name, token, value }) {
    const cell = this.#cells.get(name);
    const accepted = token >= cell.token;
    if (accepted) {
      cell.token = token;
      if (op === 'write') {
        cell.value = value;
        writeValue(cell);
        this.writes++;
      }
    } else this.refused++;
    this.#log(
      op,
      node,
      incarnation,
      name,
      accepted ? 'accepted' : 'refused',
      token,
      op === 'write' ? value : cell.value,
    );
    if (accepted && op === 'write') this.emit('accepted', node, name, token);
    return { id, accepted, value: cell.value, largest: cell.token };
  }
}

/** All values have the same length, so a write replaces the one before. */
const writeValue = ({ file, value }) => writeSync(file, String(value).padStart(12, '0'), 0);

/** The connection of a process to the store and to the harness. */
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

/** Calls `take` with each JSON value that arrives on `socket`, one on a line. */
function eachLine(socket, take) {
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) take(JSON.parse(line));
  });
}

const lineOf = (value) => `${JSON.stringify(value)}\n`;
