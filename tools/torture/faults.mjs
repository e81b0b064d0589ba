/**
 * The faults of a run: chosen by a seed, done to its processes and its network, and written to the
 * log of the harness.
 */
import { between, pause } from './random.mjs';
export const processFaults = {
  kill: ['kill-inside', 'kill-written', 'kill-waiting', 'kill-idle', 'kill-anytime'],
  stop: ['stop-inside', 'stop-written', 'stop-waiting', 'stop-anytime'],
  jobs: ['kill-ticking', 'stop-ticking'],
  watch: ['spin-short', 'spin-long'],
  clients: ['kill-client', 'kill-server', 'leave-client'],
  voters: ['kill-changing', 'stop-changing'],
};
export const networkFaults = {
  broker: ['broker'],
  partition: ['cut-reset', 'cut-silent', 'cut-slow'],
};

/** How long a process may take to get where a fault shall hit it, in milliseconds. */
const patience = 5_000;
/**
 * How often a kind of fault that hit nothing is tried again in a round: no connection was busy, or
 * no process got there in time.
 */
const retries = 5;

export class Faults {
  /** The faults that are under way. */
  current = new Map();
  #ids = 0;

  /** @param run the processes, the store and the network; `stopped`: whether it ends */
  constructor(run, random, { lease, kinds }) {
    this.run = run;
    this.random = random;
    this.lease = lease;
    this.kinds = kinds;
  }

  /**
   * Each kind until it hits something, in a random order: faults of processes beside faults of the
   * network.
   */
  async round() {
    const of = (kinds) =>
      this.random.shuffled(this.kinds.filter((kind) => Object.values(kinds).flat().includes(kind)));
    await Promise.all([this.#lane(of(processFaults)), this.#lane(of(networkFaults))]);
  }

  async #lane(kinds) {
    let again = retries * kinds.length;
    while (kinds.length > 0 && !this.run.stopped) {
      await pause(between(this.random, 0.2, 1.5) * this.lease);
      const shuffled = this.random.shuffled(this.run.nodes);
      // Sometimes two processes at once.
      const now = kinds.splice(0, this.random.chance(0.25) ? 2 : 1);
      const victims = [];
      for (const kind of now) victims.push(this.#victims(kind, shuffled, victims));
      const hits = await Promise.all(now.map((kind, index) => this.#one(kind, victims[index])));
      for (const [index, kind] of now.entries()) if (!hits[index] && again-- > 0) kinds.push(kind);
    }
  }

  /**
   * Those of a job begin with the process that ran it last. The first one is of the sort that is
   * meant, and not the first of `others`.
   */
  #victims(kind, shuffled, others) {
    const { ticker, options } = this.run;
    const { servers } = options.protocol;
    const isMeant = (node) =>
      !others.some(([first]) => first === node) &&
      (!kind.endsWith('client') || !servers.includes(node)) &&
      (!kind.endsWith('server') || servers.includes(node));
    const meant = shuffled.filter(isMeant);
    if (!kind.endsWith('ticking') || !meant.includes(ticker)) return meant;
    return [ticker, ...meant.filter((node) => node !== ticker)];
  }

  /** Whether it hit something. */
  async #one(kind, victims) {
    const id = ++this.#ids;
    const [what, how] = kind.split('-');
    let missed = false;
    const begin = (...words) => {
      missed = words[0] === 'missed';
      this.run.log('fault', id, kind, ...words);
    };
    this.current.set(id, kind);
    const met = await this[`_${what}`](how, victims, begin);
    this.current.delete(id);
    this.run.log('healed', id, met ?? 1);
    return !missed && met !== 0;
  }

  async _kill(at, [victim], begin) {
    if (!(await this.#hits(victim, at, begin))) return;
    await this.run.kill(victim);
    await this.#again(victim);
  }

  /** A client leaves, and another one comes. */
  async _leave(_who, [victim], begin) {
    begin(victim, '-');
    await this.run.leave(victim);
    await this.#again(victim);
  }

  async _stop(at, [victim], begin) {
    if (!(await this.#hits(victim, at, begin))) return;
    this.run.signal(victim, 'SIGSTOP');
    await pause(between(this.random, 1.5, 3) * this.lease);
    this.run.signal(victim, 'SIGCONT');
    this.run.order(victim, { order: 'go', careful: this.random.chance(0.5) });
  }

  /** A thread that is busy for three leases, or for longer than its limit. */
  async _spin(how, [victim], begin) {
    const { stall } = this.run.options.protocol.watch;
    const time = how === 'short' ? 3 * this.lease : stall + this.lease;
    const more = { time, careful: this.random.chance(0.5) };
    if (await this.#hits(victim, 'spin', begin, more)) await pause(time);
  }

  async _broker(_how, _victims, begin) {
    begin('-', '-');
    await this.run.network.broker.kill();
    await pause(between(this.random, 0.1, 2) * this.lease);
    if (!this.run.stopped) await this.run.network.broker.start();
  }

  async _cut(mode, victims, begin) {
    const some = victims.slice(0, this.random.chance(0.3) ? 2 : 1);
    begin(some.join('+'), '-');
    const before = this.run.network.hits();
    this.run.network.cut(
      some,
      mode,
      mode === 'slow' ? between(this.random, 20, this.lease / 2) : 0,
    );
    await pause(between(this.random, 0.5, 3) * this.lease);
    this.run.network.heal();
    return this.run.network.hits() - before;
  }

  async #again(victim) {
    await pause(between(this.random, 0, 2) * this.lease);
    if (!this.run.stopped) await this.run.start(victim);
  }

  /** Whether `victim` is where the fault shall hit it, which then begins. */
  async #hits(victim, at, begin, more) {
    const name = await this.#sent(victim, at, more);
    if (name === undefined) begin('missed');
    else begin(victim, name);
    return name !== undefined;
  }

  /**
   * Resolves with the name under which `victim` is where the fault shall hit; undefined where it
   * does not get there in time.
   */
  async #sent(victim, at, more = {}) {
    const names = at === 'ticking' ? this.run.jobs : this.run.names;
    const isAnywhere = ['anytime', 'client', 'server'].includes(at);
    const name = at === 'idle' || isAnywhere ? '-' : this.random.pick(names);
    if (isAnywhere) return name;
    const there = this.run.reached(victim, at, name, patience);
    this.run.order(victim, { order: 'be', at, name, ...more });
    if (await there) return name;
    this.run.order(victim, { order: 'go', careful: true });
    return undefined;
  }
}
