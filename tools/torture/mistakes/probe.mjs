/**
 * The program of docs/operations.md, as it stands, as three nodes under a supervisor: it starts
 * again what answers 503 three times in a row, or ends. Meanwhile strangers knock, stray frames
 * come, a disk gets lost, and the epoch changes, one node after the other.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@conclave/core/internal/servers';
import { pause } from '../random.mjs';

const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
const [, program] = /<!-- program: worker -->\n```js\n([\s\S]+?)```/.exec(page);
const cwd = fileURLToPath(new URL('../..', import.meta.url)); // what it imports is found there
const names = ['lock-0', 'lock-1', 'lock-2'];
/** As three programs that have nothing to do with the nodes, and one that has, would send. */
const strays = [
  Buffer.from('ping'),
  Buffer.from('GET /health HTTP/1.1\r\nHost: lock\r\n\r\n'),
  framed('{"type":"request","ts":1}'),
  framed('["conclave-tcp",1,"bazaar","lock-1","lock-0"]'),
];

const otherOptions = { 'lock-9': { port: 1 } };

/** One of mistakes.mjs. The output of the programs comes late, so only their tokens are judged. */
export const underProbe = {
  ...{ number: 7, name: 'the program of operations.md under its probe', media: ['tcp'] },
  common: { protocol: 'leased-majority', nodes: names, judges: ['repeated'] },
  async run(site, { short, minutes }) {
    const supervision = new Supervision(site);
    const expected = await supervision.run(short ? 0 : minutes);
    const { counts, restarts } = supervision;
    site.operated = { minutes, ...counts, restarts: restarts.length };
    return expected;
  },
};

class Supervision {
  counts = { rounds: 0, frames: 0, strangers: 0, disks: 0, epochs: 0 };
  /** Nodes that were restarted although nothing was done to them, and why. */
  restarts = [];
  #epoch = 1;
  #addresses = {};
  /** The nodes under the supervisor, by name. */
  #nodes = new Map();
  #isOver = false;
  /** What a stranger has done that it must not do. */
  #misbehaviour = '';

  constructor(site) {
    this.site = site;
  }

  /** @returns by name, whether what must happen has happened */
  async run(minutes) {
    for (const name of names) this.#addresses[name] = { port: await freePort() };
    for (const name of names) this.#nodes.set(name, await this.#start(name));
    const supervisor = this.#supervise();
    const end = Date.now() + minutes * 60_000;
    let isWell = await this.#allEnter();
    do {
      this.counts.rounds++;
      for (const step of [this.#strays, this.#strangers, this.#disk, this.#change])
        isWell &&= (await step.call(this)) && (await this.#allEnter());
    } while (isWell && Date.now() < end);
    this.#isOver = true;
    await supervisor;
    return {
      [`strangers are refused or wait, and all enter after each${this.#misbehaviour}`]: isWell,
      [`no healthy node is restarted: ${this.restarts.join('; ')}`]: this.restarts.length === 0,
    };
  }

  async #start(name, { addresses = this.#addresses, data = name } = {}) {
    const web = await freePort();
    const node = { name, web, fails: 0, entries: 0, errors: '' };
    const env = {
      ...{ ...process.env, NODE_NAME: name, NODES: JSON.stringify(addresses) },
      ...{ DATA: join(this.site.data, data), WEB: String(web), EPOCH: String(this.#epoch) },
    };
    node.child = this.site.spawn(data, process.execPath, ['--input-type=module', '-e', program], {
      ...{ cwd, env, onError: (text) => (node.errors += text) },
      onOutput: (text) => {
        for (const [, token] of text.matchAll(/works with token (\d+)\n/g)) {
          node.entries++;
          this.site.log('enter', name, token);
          this.site.log('leave', name);
        }
      },
    });
    return node;
  }

  async #stop(name) {
    const { child } = this.#nodes.get(name);
    this.#nodes.delete(name);
    child.kill('SIGTERM');
    if (!hasEnded(child)) await once(child, 'exit');
  }

  async #supervise() {
    for (; !this.#isOver; await pause(100))
      for (const [name, node] of this.#nodes) {
        const signal = AbortSignal.timeout(5000);
        const address = `http://127.0.0.1:${node.web}/health`;
        const response = await fetch(address, { signal }).catch(() => {});
        const health = await response?.text().catch(() => {});
        node.fails = response?.status === 503 ? node.fails + 1 : 0;
        const isDue = node.fails >= 3 || hasEnded(node.child);
        if (!isDue || this.#nodes.get(name) !== node) continue;
        this.restarts.push(`${name} ${node.fails ? health : node.errors}`);
        await this.site.end(node.child);
        this.#nodes.set(name, await this.#start(name));
      }
  }

  async #allEnter() {
    const entries = () => names.map((name) => this.#nodes.get(name).entries);
    const before = entries();
    return this.site.until(() => entries().every((now, at) => now > before[at]), 60_000);
  }

  async #strays() {
    for (const { port } of Object.values(this.#addresses))
      for (const stray of strays) {
        const socket = connect(port, '127.0.0.1').on('error', () => {});
        socket.end(stray).resume();
        await once(socket, 'close');
        this.counts.frames++;
      }
    return true;
  }

  /** All at once: two that nobody lists, one with other options, and the twin of a node. */
  async #strangers() {
    const { rounds } = this.counts;
    const [odd, twin] = [names[rounds % 3], names[(rounds + 1) % 3]];
    const strangers = [['king'], ['lock-3'], [odd, otherOptions], [twin]];
    const areOut = strangers.map(([name, nodes]) => this.#staysOut(name, nodes));
    return (await Promise.all(areOut)).every(Boolean);
  }

  /**
   * Starts a stranger on a disk and a port of its own. Whether it stays out: it is refused, and
   * ends, or says for whom it waits.
   *
   * @param nodes addresses that it names beside those of the nodes, or instead of them
   */
  async #staysOut(name, nodes) {
    const data = `stranger-${++this.counts.strangers}`;
    const addresses = { ...this.#addresses, [name]: { port: await freePort() }, ...nodes };
    const node = await this.#start(name, { addresses, data });
    const { child } = node;
    const waits = () => node.errors.includes('is not admitted after');
    await this.site.until(() => hasEnded(child) || waits());
    const isOut = node.entries === 0 && (child.exitCode === 2 || (!hasEnded(child) && waits()));
    if (!isOut) this.#misbehaviour = `: ${name} did not: ${node.errors}`;
    await this.site.end(child);
    return isOut;
  }

  /** A node is started without its disk, and then with it. */
  async #disk() {
    const name = names[this.counts.rounds % 3];
    await this.#stop(name);
    this.counts.disks++;
    const isOut = await this.#staysOut(name, { [name]: this.#addresses[name] });
    this.#nodes.set(name, await this.#start(name));
    return isOut;
  }

  /**
   * Each node stops, and starts in the next epoch; the supervisor looks at it for a while. Before the
   * last one, a stranger of that epoch takes its name, with other options.
   */
  async #change() {
    this.#epoch++;
    this.counts.epochs++;
    let isOut = true;
    for (const name of names.toReversed()) {
      if (name === names[0]) isOut = await this.#staysOut(name, otherOptions);
      await this.#stop(name);
      this.#nodes.set(name, await this.#start(name));
      await pause(1000);
    }
    return isOut;
  }
}

const hasEnded = ({ exitCode, signalCode }) => exitCode !== null || signalCode !== null;

/** A frame of the TCP transport: its length, and its text. */
function framed(text) {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
}
