/** One run: five processes over one transport, their store, and the faults. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Harness } from './harness.mjs';
import { word } from './log.mjs';
import { media } from './media.mjs';
import { between, pause, randomOf } from './random.mjs';
import { Store } from './store.mjs';

/** How long a process that was told to end may take, in milliseconds. */
const ending = 20_000;
/**
 * How long the first starts may take. Each node needs an answer of each other one, once: what is
 * measured later begins after that.
 */
const beginning = 120_000;

export class Run extends Harness {
  stopped = false;
  rounds = 0;
  started = Date.now();
  /** Errors of the processes themselves, which end the run. */
  failures = [];
  /** The process that must be refused. */
  newcomer;
  countsBy = new Map();
  /** Of the wall clocks, by process, in seconds. */
  #shifts = new Map();
  /** The process that ran a job last. */
  ticker;

  /** @param options what `torture.mjs` was told, and `folder`, which is empty */
  constructor(options) {
    super(options.medium, options.folder);
    this.options = options;
    this.nodes = options.nodes;
    this.names = Array.from({ length: options.names }, (_, index) => `n${index}`);
    this.jobs = Array.from({ length: options.jobs }, (_, index) => `job${index}`);
    this.journaled = this.names.slice(0, options.journals);
    this.store = new Store(this.folder, this.names);
    this.store.setMaxListeners(0);
    this.store.on('told', (node, incarnation, message) => this.#told(node, incarnation, message));
    this.store.on('ticked', (node) => {
      this.ticker = node;
    });
    const { protocol, seed } = options;
    const medium = media[options.medium];
    this.kinds = [
      ...(protocol.kill ? processFaults.kill : []),
      ...processFaults.stop,
      ...(this.jobs.length > 0 ? processFaults.jobs : []),
      ...(protocol.watch ? processFaults.watch : []),
      ...(protocol.servers ? processFaults.clients : []),
      ...(protocol.options?.voters ? processFaults.voters : []),
      ...(protocol.row && faketime ? processFaults.clocks : []),
      ...(medium.hasBroker ? networkFaults.broker : []),
      ...(medium.hasNetwork ? networkFaults.partition : []),
    ].filter((kind) => options.faults?.includes(kind) ?? true);
    this.faults = new Faults(this, randomOf(seed, options.medium, protocol.key, 'faults'), {
      lease: protocol.lease,
      kinds: this.kinds,
    });
  }

  get counts() {
    const sum = {};
    for (const counts of this.countsBy.values())
      for (const [name, count] of Object.entries(counts))
        if (typeof count === 'number') sum[name] = (sum[name] ?? 0) + count;
    return sum;
  }

  async all() {
    const { entries, until, calm, rounds } = this.options;
    this.started = Date.now();
    await this.store.listen();
    await this.open(this.nodes);
    await Promise.all(this.nodes.map((node) => this.start(node)));
    await this.#begun();
    await this.#calm(calm);
    do {
      this.rounds++;
      await this.faults.round();
      await this.#calm(calm);
    } while (
      !this.stopped &&
      this.rounds < rounds &&
      this.store.writes < entries &&
      Date.now() < until
    );
    await this.#end();
  }

  async close() {
    this.stopped = true;
    const survivors = await super.close();
    this.store.close();
    return survivors;
  }

  async start(node) {
    const { protocol, seed, think, conditions } = this.options;
    const { nodes, folder, names, jobs, journaled } = this;
    const config = {
      ...{ self: node, nodes, folder, store: this.store.path, names, jobs, journaled },
      ...{ address: this.network.addressOf(node), protocol, seed, think, conditions },
    };
    const env = protocol.row && faketime ? this.#clockOf(node) : undefined;
    const child = this.launch(node, './node.run.mjs', config, env);
    const incarnation = this.incarnations.get(node);
    child.once('exit', (code, signal) => {
      this.log('exit', node, incarnation, code ?? signal);
      if (signal !== 'SIGKILL' && code !== 0)
        this.fail(`process ${node} (${incarnation}) ended with ${code ?? signal}`);
    });
    this.log('process', node, incarnation, child.pid);
    await this.#until(
      (teller, its, { state }) => teller === node && its === incarnation && state === 'started',
      30_000,
      'told',
    );
  }

  async kill(node) {
    this.log('kill', node, this.incarnations.get(node));
    await this.end(this.children.get(node));
  }

  /** Tells it to end, and resolves when it has. */
  async leave(node) {
    this.log('leave', node, this.incarnations.get(node));
    const child = this.children.get(node);
    const gone = once(child, 'exit');
    await this.#ordered('stop', 'done', [node]);
    await this.#ordered('close', 'closed', [node]);
    if (!this.stopped) await gone;
  }

  signal(node, signal) {
    this.log(signal, node, this.incarnations.get(node));
    this.children.get(node).kill(signal);
  }

  order(node, order) {
    this.store.order(node, order);
  }

  /** Sets the wall clock of a process by so many seconds more; its monotonic clock goes on. */
  shiftClock(node, seconds) {
    this.#shifts.set(node, (this.#shifts.get(node) ?? 0) + seconds);
    this.#clockOf(node);
  }

  /** The environment of a process with that clock. */
  #clockOf(node) {
    const file = join(this.folder, `clock-${node}`);
    const shift = this.#shifts.get(node) ?? 0;
    writeFileSync(file, `${shift < 0 ? '' : '+'}${shift}s\n`);
    const ofMonotonic = { FAKETIME_DONT_FAKE_MONOTONIC: '1', FAKETIME_NO_CACHE: '1' };
    return {
      ...{ ...process.env, ...ofMonotonic },
      ...{ LD_PRELOAD: faketime, FAKETIME_TIMESTAMP_FILE: file },
    };
  }

  /** Whether `node` says in time that it is at `at`. */
  reached(node, at, name, patience) {
    const is = (teller, _incarnation, message) =>
      teller === node && message.at === at && message.name === name;
    return this.#until(is, patience, 'told');
  }

  async #begun() {
    if (this.stopped) return;
    const missing = await this.#untilAll(this.nodes, (node) => node, beginning, 'accepted');
    this.log('begun', missing.length);
    if (missing.length > 0 && !this.stopped)
      this.fail(`not begun within ${beginning} ms: ${missing.join(', ')}`);
  }

  /**
   * No faults until each process has entered under each name, or the time is over. The checker
   * looks whether all did.
   */
  async #calm(patience) {
    if (this.stopped) return;
    this.log('calm');
    const places = this.nodes.flatMap((node) => this.names.map((name) => `${node} ${name}`));
    const entered = (node, name) => `${node} ${name}`;
    const missing = await this.#untilAll(places, entered, patience, 'accepted');
    this.log('calmed', missing.length);
  }

  async #end() {
    if (!this.stopped) {
      await this.#ordered('stop', 'done');
      if (!this.options.protocol.kill) await this.#restartRefused();
      await this.#ordered('close', 'closed');
    }
    this.log('ended');
  }

  /**
   * Kills a process of a lock that does not tolerate it, and starts it again: it and its peers must
   * say that it is refused.
   */
  async #restartRefused() {
    const victim = randomOf(this.options.seed, 'restart').pick(this.nodes);
    const incarnation = this.incarnations.get(victim) + 1;
    this.newcomer = `${victim} ${incarnation}`;
    await this.kill(victim);
    this.log('restart', victim, incarnation);
    const told = (node, _incarnation, { failed, error }) =>
      (failed ?? error)?.code === 'refused' && (node === victim ? 'itself' : 'a peer');
    const refused = this.#untilAll(['itself', 'a peer'], told, ending, 'told');
    await this.start(victim);
    this.log('restarted', (await refused).length);
  }

  async #ordered(order, answer, nodes = this.nodes) {
    const told = (node, _incarnation, { state }) => state === answer && node;
    const all = this.#untilAll(nodes, told, ending, 'told');
    for (const node of nodes) this.order(node, { order });
    const missing = await all;
    if (missing.length > 0 && !this.stopped)
      this.fail(`not ${answer} within ${ending} ms: ${missing.join(', ')}`);
  }

  /** Until `of` an event of the store was each item, within `patience`: those that were missing. */
  async #untilAll(items, of, patience, event) {
    const missing = new Set(items);
    const is = (...told) => missing.delete(of(...told)) && missing.size === 0;
    await this.#until(is, patience, event);
    return [...missing];
  }

  /** Whether `is` holds for an event of the store within `patience`, and before the run stops. */
  #until(is, patience, event) {
    return new Promise((resolve) => {
      const end = (found) => {
        clearTimeout(timer);
        this.store.off(event, on);
        this.store.off('stopped', never);
        resolve(found);
      };
      const on = (...told) => is(...told) && end(true);
      const never = () => end(false);
      const timer = setTimeout(never, patience);
      this.store.on(event, on);
      this.store.once('stopped', never);
    });
  }

  #told(node, incarnation, { counts, failed, error }) {
    if (counts) this.countsBy.set(`${node} ${incarnation}`, counts);
    if (failed && `${node} ${incarnation}` !== this.newcomer)
      this.fail(`process ${node} (${incarnation}): ${failed.message}`);
    if (error) this.log('error', node, incarnation, word(error.code), word(error.message));
  }

  fail(failure) {
    this.failures.push(failure);
    this.log('failure', word(failure));
    this.stop();
  }

  stop() {
    if (this.stopped) return;
    this.stopped = true;
    this.store.emit('stopped');
  }
}

// The faults of a run: chosen by a seed, done to its processes and its network, and written to the
// log of the harness.

const processFaults = {
  kill: ['kill-inside', 'kill-written', 'kill-waiting', 'kill-idle', 'kill-anytime'],
  stop: ['stop-inside', 'stop-written', 'stop-waiting', 'stop-anytime'],
  jobs: ['kill-ticking', 'stop-ticking'],
  watch: ['spin-short', 'spin-long'],
  clients: ['kill-client', 'kill-server', 'leave-client'],
  voters: ['kill-changing', 'stop-changing'],
  clocks: ['clock-ahead', 'clock-behind'],
};
const networkFaults = {
  broker: ['broker'],
  partition: ['cut-reset', 'cut-silent', 'cut-slow'],
};

/** The library of `faketime`, by which a process gets a wall clock of its own. */
const faketime = spawnSync('faketime', ['-m', '-f', '+0s', 'printenv', 'LD_PRELOAD'], {
  encoding: 'utf8',
}).stdout?.trim();
export const missingFaketime = faketime
  ? undefined
  : 'No clock was shifted: faketime is not installed. Try: apt-get install faketime';

/** How long a process may take to get where a fault shall hit it, in milliseconds. */
const patience = 5_000;
/**
 * How often a kind of fault that hit nothing is tried again in a round: no connection was busy, or
 * no process got there in time.
 */
const retries = 5;

class Faults {
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

  /** It jumps, to and fro: the two kinds leave most clocks apart by 20 seconds or more. */
  async _clock(how, [victim], begin) {
    const jumped = this.run.reached(victim, 'clock', '-', patience);
    this.run.shiftClock(victim, how === 'ahead' ? 20 : -20);
    if (await jumped) begin(victim, '-');
    else begin('missed');
    await pause(between(this.random, 1, 2) * this.lease);
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
