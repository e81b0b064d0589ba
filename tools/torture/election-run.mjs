/** One run of processes that elect a leader, which ticks, and of clients that follow it. */
import { Harness } from './harness.mjs';
import { now } from './log.mjs';
import { electionOptions } from './plan.mjs';
import { between, pause, randomOf } from './random.mjs';
import { Store } from './store.mjs';

const five = ['a', 'b', 'c', 'd', 'e'];
/**
 * How long all may take, in milliseconds, until they know the leader; after that the run has
 * failed.
 */
const patience = 30_000;
/** What a busy machine may add to the time until another one leads, in milliseconds. */
export const slack = 500;

/**
 * `detection` and `election` bound the time until another one leads, in milliseconds; `clients`
 * follow the others.
 */
const kindOf = (by, detection, election, more) => ({
  ...{ by, options: electionOptions[by], detection, election },
  ...{ servers: five, clients: [], media: ['tcp'], ...more },
});
export const kinds = {
  bully: kindOf('bully', 600, 250),
  lease: kindOf('lease', 800, 0),
  followers: kindOf('lease', 800, 0, {
    ...{ servers: five.slice(0, 3), clients: five.slice(3) },
    media: ['nats', 'tcp'], // the others admit no clients
  }),
};

class Elections extends Harness {
  takeovers = [];
  violations = [];
  /** Ticks that the store has refused are not among them. */
  ticks = 0;
  leaders = 0;
  /** How often a leader was paused or cut off. */
  interruptions = 0;
  #store = new Store(this.folder, ['leader']);
  #views = new ClientViews();
  /** By node that is up: whom it knows as the leader, whether it leads itself, and since when. */
  #known = new Map();
  /** By token or term, the node that has ticked with it. */
  #owners = new Map();
  #last = { token: -1 };

  constructor({ kind, medium, seed }) {
    super(medium);
    this.kind = kinds[kind];
    this.random = randomOf(seed, kind, medium);
    this.#store.on('told', (node, incarnation, message) => this.#told(node, incarnation, message));
    this.#store.on('accepted', (node, _name, token) => this.#ticked(node, token));
  }

  get refused() {
    return this.#store.refused;
  }

  async run(kills) {
    await this.#store.listen();
    await this.open(five);
    for (const node of five) this.#start(node);
    for (let kill = 0; kill < kills && this.violations.length === 0; kill++) {
      const victim = await this.#settled();
      if (victim === undefined) break;
      await pause(between(this.random, 0, 300));
      const killed = now();
      this.#known.delete(victim);
      const next = this.#next(victim);
      const heal = this.#disturb(kill);
      await this.end(this.children.get(victim));
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
    this.violations.push(...this.#views.violations());
  }

  /** Of the clients that follow: how often they have shown a leader. */
  get shown() {
    return this.#views.shown;
  }

  /**
   * Kills, pauses or cuts off a client while the leader is killed; or kills the broker after that.
   * Returns what ends it.
   */
  #disturb(kill) {
    const { clients, detection } = this.kind;
    if (clients.length === 0) return undefined;
    const client = clients[this.random.below(clients.length)];
    const child = this.children.get(client);
    const { broker } = this.network;
    if (kill % 4 === 0) {
      this.#known.delete(client);
      const dead = this.end(child);
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
      await pause(between(this.random, 0, 2 * detection));
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
    const child = this.children.get(leader);
    if (mode === 'pause') child.kill('SIGSTOP');
    else this.network.cut(this.random.below(2) ? [leader, other] : [leader], mode);
    await pause(between(this.random, 100, 3 * this.kind.detection));
    if (mode === 'pause') child.kill('SIGCONT');
    else this.network.heal();
    this.interruptions++;
    await pause(1000); // until then they may all know the one that led before
  }

  async close() {
    const survivors = await super.close();
    this.#store.close();
    return survivors;
  }

  #start(node) {
    const { by, options, servers, clients } = this.kind;
    this.#known.set(node, { since: now() });
    this.launch(node, './election-node.run.mjs', {
      ...{ self: node, by, options, servers, hasClients: clients.length > 0 },
      ...{ store: this.#store.path, address: this.network.addressOf(node) },
    });
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
    if (leads && at !== undefined) this.#views.led(node, term, at);
    if (incarnation !== this.incarnations.get(node)) return; // of one that was killed
    if (tick !== undefined) this.#ticked(node, tick);
    if (error !== undefined) this.violations.push(`${node} reports ${error}`);
    if (knows === undefined) return;
    if (this.kind.clients.includes(node))
      this.#views.showed(`${node} ${incarnation}`, { id: knows, term, at });
    const known = this.#known.get(node);
    if (known && (known.knows !== knows || known.leads !== leads))
      this.#known.set(node, { knows, leads, since: now() });
  }
}

/** Runs one kind, and judges it. `strict`: how soon another one leads, too. */
export async function runElection({ kind, medium, kills, seed, strict = false }) {
  const run = new Elections({ kind, medium, seed });
  const started = now();
  await run.run(kills).catch((error) => run.violations.push(error.stack));
  const seconds = Math.round((now() - started) / 1e6);
  const survivors = await run.close();
  if (survivors.length > 0) run.violations.push(`processes are left: ${survivors}`);
  const { takeovers, violations, ticks, leaders, refused, shown, interruptions } = run;
  const { by, options, detection, election } = kinds[kind];
  const bound = detection + election + slack;
  const late = takeovers.filter((ms) => ms > bound).length;
  if (late > 0 && strict)
    violations.push(`${late} times it took longer than ${bound} ms until another one led`);
  for (const text of violations.slice(0, 20)) console.error(`${kind} over ${medium}: ${text}`);
  return {
    ...{ kind, medium, by, options, bound, seconds, takeovers, late, ticks, leaders, refused },
    ...{ interruptions, shown, violations },
  };
}

/** What the clients of an election have shown, and who has led. Times are of one clock. */
export class ClientViews {
  shown = 0;
  /** By term: who has led, and since when, by its own word. */
  #led = new Map();
  /** By client and term: whom it has shown, and when it looked last. */
  #looks = new Map();
  #last = new Map();
  #falls = [];

  led(id, term, since) {
    if (!this.#led.has(term)) this.#led.set(term, { id, since });
  }

  /** `at`: just before it looked; `id` is null where it shows nobody. */
  showed(client, { id, term, at }) {
    if (id === null) return;
    this.shown++;
    const last = this.#last.get(client) ?? 0;
    if (term < last) this.#falls.push(`${client} shows term ${term} after ${last}`);
    this.#last.set(client, Math.max(term, last));
    this.#looks.set(`${client} ${id} ${term}`, { client, id, term, at });
  }

  /** To be asked at the end: what a client tells may arrive before what its leader tells. */
  violations() {
    const leaders = [...this.#led].map(([term, { since }]) => ({ term, since }));
    return [
      ...this.#falls,
      ...[...this.#looks.values()].flatMap(({ client, id, term, at }) => {
        const shows = `${client} shows ${id} in term ${term}`;
        if (this.#led.get(term)?.id !== id) return [`${shows}, in which it has not led`];
        const next = Math.min(...leaders.filter((one) => one.term > term).map((one) => one.since));
        return at > next ? [`${shows} ${at - next} µs after another one led in a later term`] : [];
      }),
    ];
  }
}
