/** One run of processes that elect a leader, which ticks, and of clients that follow it. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Followed } from './followed.mjs';
import { now } from './log.mjs';
import { media } from './media.mjs';
import { Processes } from './processes.mjs';
import { between, randomOf } from './random.mjs';
import { Store } from './store.mjs';

const program = fileURLToPath(new URL('./election-node.run.mjs', import.meta.url));
const five = ['a', 'b', 'c', 'd', 'e'];
/**
 * How long all may take, in milliseconds, until they know the leader; after that the run has
 * failed.
 */
const patience = 30_000;
/** What a busy machine may add to the time until another one leads, in milliseconds. */
export const slack = 500;

/**
 * Times in milliseconds; `detection` and `election` bound the time until another one leads;
 * `clients` follow the others.
 */
export const kinds = {
  bully: {
    ...{ by: 'bully', servers: five, clients: [], media: ['tcp'] },
    ...{ times: { period: 100, silence: 600, answer: 250 }, detection: 600, election: 250 },
  },
  lease: {
    ...{ by: 'lease', servers: five, clients: [], media: ['tcp'] },
    ...{ times: { lease: 800 }, detection: 800, election: 0 },
  },
  followers: {
    ...{ by: 'lease', servers: five.slice(0, 3), clients: five.slice(3) },
    media: ['nats', 'tcp'], // the others admit no clients
    ...{ times: { lease: 800 }, detection: 800, election: 0 },
  },
};

class Elections {
  takeovers = [];
  violations = [];
  /** Ticks that the store has refused are not among them. */
  ticks = 0;
  leaders = 0;
  /** How often a leader was paused or cut off. */
  interruptions = 0;
  #folder = mkdtempSync(
    join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'conclave-elections-'),
  );
  #processes = new Processes();
  #store = new Store(this.#folder, ['leader']);
  #children = new Map();
  #incarnations = new Map(five.map((node) => [node, 0]));
  #followed = new Followed();
  /** By node that is up: whom it knows as the leader, whether it leads itself, and since when. */
  #known = new Map();
  /** By token or term, the node that has ticked with it. */
  #owners = new Map();
  #last = { token: -1 };

  constructor({ kind, medium, seed }) {
    this.kind = kinds[kind];
    this.medium = medium;
    this.random = randomOf(seed, kind, medium);
    this.#store.on('told', (node, incarnation, message) => this.#told(node, incarnation, message));
    this.#store.on('accepted', (node, _name, token) => this.#ticked(node, token));
  }

  get refused() {
    return this.#store.refused;
  }

  async run(kills) {
    await this.#store.listen();
    this.network = await media[this.medium].start({ processes: this.#processes, nodes: five });
    for (const node of five) this.#start(node);
    for (let kill = 0; kill < kills && this.violations.length === 0; kill++) {
      const victim = await this.#settled();
      if (victim === undefined) break;
      await pause(between(this.random, 0, 300));
      const killed = now();
      this.#known.delete(victim);
      const next = this.#next(victim);
      const heal = this.#disturb(kill);
      await this.#processes.kill(this.#children.get(victim));
      const took = await next;
      if (took === undefined)
        this.violations.push(`nobody leads ${patience} ms after the kill of ${victim}`);
      else this.takeovers.push((took - killed) / 1000);
      await pause(between(this.random, 0, 300));
      this.#start(victim);
      await heal?.();
      if (kill % 4 === 0) await this.#interrupt();
    }
    if (this.violations.length === 0) await this.#settled();
    this.violations.push(...this.#followed.violations());
  }

  /** Of the clients that follow: how often they have shown a leader. */
  get shown() {
    return this.#followed.shown;
  }

  /**
   * Kills, pauses or cuts off a client while the leader is killed; or kills the broker after that.
   * Returns what ends it.
   */
  #disturb(kill) {
    const { clients, times } = this.kind;
    if (clients.length === 0) return undefined;
    const client = clients[this.random.below(clients.length)];
    const child = this.#children.get(client);
    const { broker } = this.network;
    if (kill % 4 === 0) {
      this.#known.delete(client);
      const dead = this.#processes.kill(child);
      return async () => {
        await dead;
        this.#start(client);
      };
    }
    if (kill % 4 === 1) {
      child.kill('SIGSTOP');
      return () => child.kill('SIGCONT');
    }
    if (kill % 4 === 2 || !broker) {
      this.network.cut([client], 'silent');
      return () => this.network.heal();
    }
    return async () => {
      await broker.kill();
      await pause(between(this.random, 0, 2 * times.lease));
      await broker.start();
    };
  }

  /** Without clients: the leader, alone or with another node, is paused or cut off for a while. */
  async #interrupt() {
    if (this.kind.clients.length > 0) return;
    const leader = await this.#settled();
    if (leader === undefined) return;
    const [other] = five.filter((node) => node !== leader);
    const mode = ['silent', 'reset', 'pause'][this.random.below(3)];
    const child = this.#children.get(leader);
    if (mode === 'pause') child.kill('SIGSTOP');
    else this.network.cut(this.random.below(2) ? [leader, other] : [leader], mode);
    await pause(between(this.random, 100, 3 * this.kind.detection));
    if (mode === 'pause') child.kill('SIGCONT');
    else this.network.heal();
    this.interruptions++;
    await pause(1000); // until then they may all know the one that led before
  }

  /** The ids of processes that survive: none. */
  async end() {
    const survivors = await this.#processes.end();
    this.#store.close();
    this.network?.stop();
    rmSync(this.#folder, { recursive: true });
    return survivors;
  }

  #start(node) {
    const incarnation = this.#incarnations.get(node) + 1;
    this.#incarnations.set(node, incarnation);
    const { by, times, servers, clients } = this.kind;
    const config = {
      ...{ self: node, incarnation, by, times, servers, medium: this.medium },
      hasClients: clients.length > 0,
      data: this.#folder,
      store: this.#store.path,
    };
    this.#known.set(node, { since: now() });
    this.#children.set(
      node,
      this.#processes.start(node, process.execPath, [
        program,
        JSON.stringify({ ...config, address: this.network.addressOf(node) }),
      ]),
    );
  }

  /** The leader, when all have known it for 200 ms. */
  async #settled() {
    for (const until = now() + patience * 1000; now() < until; await pause(10)) {
      const known = [...this.#known.values()];
      const [{ knows }] = known;
      const agree =
        known.length === five.length &&
        known.every((one) => one.knows === knows && now() - one.since > 200_000);
      if (agree && this.#known.get(knows)?.leads) return knows;
    }
    const text = [...this.#known]
      .map(([node, { knows, leads }]) => `${node} ${leads ? 'leads' : `knows ${knows}`}`)
      .join(', ');
    this.violations.push(`they do not agree within ${patience} ms: ${text}`);
    return undefined;
  }

  /** When another node than `victim` ticks, in microseconds. */
  #next(victim) {
    return new Promise((resolve) => {
      const end = (time) => {
        clearTimeout(timer);
        this.onTick = undefined;
        resolve(time);
      };
      const timer = setTimeout(end, patience);
      this.onTick = (node) => node !== victim && end(now());
    });
  }

  #ticked(node, token) {
    this.ticks++;
    const owner = this.#owners.get(token) ?? node;
    if (!this.#owners.has(token)) this.leaders++;
    this.#owners.set(token, node);
    if (owner !== node) this.violations.push(`${owner} and ${node} have ticked with ${token}`);
    if (this.kind.by === 'lease' && token < this.#last.token)
      this.violations.push(`${node} has ticked with ${token} after ${this.#last.token}`);
    this.#last = { token };
    this.onTick?.(node);
  }

  #told(node, incarnation, { knows, leads, tick, term, at, error }) {
    if (leads && at !== undefined) this.#followed.led(node, term, at);
    if (incarnation !== this.#incarnations.get(node)) return; // of one that was killed
    if (tick !== undefined) this.#ticked(node, tick);
    if (error !== undefined) this.violations.push(`${node} reports ${error}`);
    if (knows === undefined) return;
    if (this.kind.clients.includes(node))
      this.#followed.showed(`${node} ${incarnation}`, { id: knows, term, at });
    const known = this.#known.get(node);
    if (known && (known.knows !== knows || known.leads !== leads))
      this.#known.set(node, { knows, leads, since: now() });
  }
}

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

/** Runs one kind, and judges it. `strict`: how soon another one leads, too. */
export async function runElection({ kind, medium, kills, seed, strict = false }) {
  const run = new Elections({ kind, medium, seed });
  const started = now();
  await run.run(kills).catch((error) => run.violations.push(error.stack));
  const seconds = Math.round((now() - started) / 1e6);
  const survivors = await run.end();
  if (survivors.length > 0) run.violations.push(`processes are left: ${survivors}`);
  const { takeovers, violations, ticks, leaders, refused, shown, interruptions } = run;
  const { by, times, detection, election } = kinds[kind];
  const bound = detection + election + slack;
  const late = takeovers.filter((ms) => ms > bound).length;
  if (late > 0 && strict)
    violations.push(`${late} times it took longer than ${bound} ms until another one led`);
  for (const text of violations.slice(0, 20)) console.error(`${kind} over ${medium}: ${text}`);
  return {
    ...{ kind, medium, by, times, bound, seconds, takeovers, late, ticks, leaders, refused },
    ...{ interruptions, shown, violations },
  };
}
