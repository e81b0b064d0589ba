/**
 * A proxy on loopback between two processes. `pass`: forwards; `reset`: ends connections and
 * accepts none; `silent`: accepts connections and forwards nothing until the next mode, then what
 * was held; `slow`: forwards each piece after a delay.
 */
import { connect, createServer } from 'node:net';

export class LoopbackProxy {
  mode = 'pass';
  /** How often a mode other than `pass` met a connection or a piece of data. */
  hits = 0;
  #pairs = new Set();
  #server;
  #delay = 0;

  constructor(target) {
    this.target = target;
  }

  /** Resolves with the port that it listens on. */
  listen() {
    this.#server = createServer((client) => this.#open(client));
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(0, '127.0.0.1', () => resolve(this.#server.address().port));
    });
  }

  set(mode, delay = 0) {
    this.mode = mode;
    this.#delay = delay;
    for (const pair of this.#pairs) this.#apply(pair);
  }

  close() {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server?.destroy();
    }
    this.#server.close();
  }

  #open(client) {
    const pair = { client, server: undefined };
    client.setNoDelay(true);
    client.on('error', () => {});
    client.on('close', () => {
      this.#pairs.delete(pair);
      pair.server?.destroy();
    });
    client.pause();
    this.#pairs.add(pair);
    this.#apply(pair);
  }

  #apply(pair) {
    const { client, server } = pair;
    if (this.mode !== 'pass') this.hits++;
    if (this.mode === 'reset') {
      client.resetAndDestroy();
      server?.resetAndDestroy();
    } else if (this.mode === 'silent') {
      client.pause();
      server?.pause();
    } else if (server) {
      client.resume();
      server.resume();
    } else if (!client.destroyed) this.#join(pair);
  }

  #join(pair) {
    const { client } = pair;
    const server = connect(this.target, '127.0.0.1');
    pair.server = server;
    server.setNoDelay(true);
    server.on('error', () => client.destroy());
    server.on('close', () => client.destroy());
    this.#forward(client, server);
    this.#forward(server, client);
  }

  /** Pieces keep their order: each waits for those before it. */
  #forward(from, to) {
    const held = [];
    const write = (piece) => {
      if (to.destroyed || to.write(piece)) return;
      from.pause();
      to.once('drain', () => this.mode !== 'silent' && from.resume());
    };
    const due = () => {
      const now = Date.now();
      while (held.length > 0 && held[0].at <= now) write(held.shift().piece);
      if (held.length > 0) setTimeout(due, held[0].at - now);
    };
    from.on('data', (piece) => {
      if (this.mode !== 'pass') this.hits++;
      if (held.length === 0 && this.#delay === 0) return write(piece);
      const at = Math.max(Date.now() + this.#delay, held.at(-1)?.at ?? 0);
      if (held.push({ at, piece }) === 1) setTimeout(due, at - Date.now());
    });
    from.resume();
  }
}
