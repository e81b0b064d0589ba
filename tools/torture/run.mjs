/** One run: five processes over one transport, their store, and the faults. */
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Faults, networkFaults, processFaults } from './faults.mjs';
import { appender, word } from './log.mjs';
import { media } from './media.mjs';
import { Processes } from './processes.mjs';
import { randomOf } from './random.mjs';
import { Store } from './store.mjs';

const program = fileURLToPath(new URL('./node.run.mjs', import.meta.url));
/** How long a process that was told to end may take, in milliseconds. */
const ending = 20_000;
/**
 * How long the first starts may take. Each node needs an answer of each other one, once: what is
 * measured later begins after that.
 */
const beginning = 120_000;

export class Run {
  stopped = false;
  rounds = 0;
  started = Date.now();
  /** Errors of the processes themselves, which end the run. */
  failures = [];
  #incarnations;
  #children = new Map();
  /**
   * Of the stable storage: a process that is killed needs no disk, and waiting for one makes the
   * run slow.
   */
  #data = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'conclave-torture-'));
  /** The process that must be refused. */
  newcomer;
  countsBy = new Map();
  /** The process that ran a job last. */
  ticker;

  /** @param options what `torture.mjs` was told, and `folder`, which is empty */
  constructor(options) {
    this.options = options;
    this.nodes = options.nodes;
    this.#incarnations = new Map(this.nodes.map((node) => [node, 0]));
    this.folder = options.folder;
    this.names = Array.from({ length: options.names }, (_, index) => `n${index}`);
    this.jobs = Array.from({ length: options.jobs }, (_, index) => `job${index}`);
    this.journaled = this.names.slice(0, options.journals);
    mkdirSync(this.folder, { recursive: true });
    this.log = appender(join(this.folder, 'harness.log'));
    this.processes = new Processes();
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
    const { medium, entries, until, calm, rounds } = this.options;
    this.started = Date.now();
    await this.store.listen();
    this.network = await media[medium].start({
      processes: this.processes,
      nodes: this.nodes,
      folder: this.folder,
    });
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

  /** Ends all processes, whatever happened. Returns those that survive: none. */
  async close() {
    this.stopped = true;
    this.network?.stop();
    const survivors = await this.processes.end();
    this.store.close();
    rmSync(this.#data, { recursive: true, force: true });
    return survivors;
  }

  async start(node) {
    const { medium, protocol, seed, think, conditions } = this.options;
    const incarnation = this.#incarnations.get(node) + 1;
    this.#incarnations.set(node, incarnation);
    const config = {
      self: node,
      nodes: this.nodes,
      incarnation,
      folder: this.folder,
      data: this.#data,
      store: this.store.path,
      names: this.names,
      jobs: this.jobs,
      journaled: this.journaled,
      medium,
      address: this.network.addressOf(node),
      protocol,
      seed,
      think,
      conditions,
    };
    const child = this.processes.start(node, process.execPath, [program, JSON.stringify(config)], {
      ipc: media[medium].isIpc,
    });
    this.#children.set(node, child);
    this.network.attach?.(node, child);
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
    this.log('kill', node, this.#incarnations.get(node));
    await this.processes.kill(this.#children.get(node));
  }

  /** Tells it to end, and resolves when it has. */
  async leave(node) {
    this.log('leave', node, this.#incarnations.get(node));
    const child = this.#children.get(node);
    const gone = once(child, 'exit');
    await this.#ordered('stop', 'done', [node]);
    await this.#ordered('close', 'closed', [node]);
    if (!this.stopped) await gone;
  }

  signal(node, signal) {
    this.log(signal, node, this.#incarnations.get(node));
    this.#children.get(node).kill(signal);
  }

  order(node, order) {
    this.store.order(node, order);
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
    const incarnation = this.#incarnations.get(victim) + 1;
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
