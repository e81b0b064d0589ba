/**
 * `npm run torture -- --elections`: five processes over TCP elect a leader, which ticks; the leader
 * is killed again and again, and starts again with its storage. See tools/torture/README.md.
 *
 * --kills N   of the leader, for each election. Default 200
 * --only LIST `bully`, `lease`. Default: both
 * --json      prints the results as JSON
 * --record    writes docs/torture-elections.md and judges the time until another one leads
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { electionsPage, electionsTable } from './elections-report.mjs';
import { now } from './log.mjs';
import { meshed } from './meshed.mjs';
import { machine } from './plan.mjs';
import { Processes } from './processes.mjs';
import { between, randomOf } from './random.mjs';
import { Store } from './store.mjs';

const program = fileURLToPath(new URL('./election-node.run.mjs', import.meta.url));
const nodes = ['a', 'b', 'c', 'd', 'e'];
/**
 * How long all may take, in milliseconds, until they know the leader; after that the run has
 * failed.
 */
const patience = 30_000;
/** What a busy machine may add to the time until another one leads, in milliseconds. */
const slack = 500;

/** In milliseconds; `detection` and `election` bound the time until another one leads. */
const kinds = {
  bully: { times: { period: 100, silence: 600, answer: 250 }, detection: 600, election: 250 },
  lease: { times: { lease: 800 }, detection: 800, election: 0 },
};

class Elections {
  takeovers = [];
  violations = [];
  /** Ticks that the store has refused are not among them. */
  ticks = 0;
  leaders = 0;
  #folder = mkdtempSync(
    join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'conclave-elections-'),
  );
  #processes = new Processes();
  #store = new Store(this.#folder, ['leader']);
  #children = new Map();
  #incarnations = new Map(nodes.map((node) => [node, 0]));
  /** By node that is up: whom it knows as the leader, whether it leads itself, and since when. */
  #known = new Map();
  /** By token or term, the node that has ticked with it. */
  #owners = new Map();
  #last = { token: -1 };

  constructor(by, random) {
    this.by = by;
    this.random = random;
    this.#store.on('told', (node, incarnation, message) => this.#told(node, incarnation, message));
    this.#store.on('accepted', (node, _name, token) => this.#ticked(node, token));
  }

  get refused() {
    return this.#store.refused;
  }

  async run(kills) {
    await this.#store.listen();
    this.network = await meshed(nodes);
    await Promise.all(nodes.map((node) => this.#start(node)));
    for (let kill = 0; kill < kills && this.violations.length === 0; kill++) {
      const victim = await this.#settled();
      if (victim === undefined) break;
      await pause(between(this.random, 0, 300));
      const killed = now();
      this.#known.delete(victim);
      const next = this.#next(victim);
      await this.#processes.kill(this.#children.get(victim));
      const took = await next;
      if (took === undefined)
        this.violations.push(`nobody leads ${patience} ms after the kill of ${victim}`);
      else this.takeovers.push((took - killed) / 1000);
      await pause(between(this.random, 0, 300));
      await this.#start(victim);
    }
    if (this.violations.length === 0) await this.#settled();
  }

  /** The ids of processes that survive: none. */
  async end() {
    const survivors = await this.#processes.end();
    this.#store.close();
    this.network?.stop();
    rmSync(this.#folder, { recursive: true });
    return survivors;
  }

  async #start(node) {
    const incarnation = this.#incarnations.get(node) + 1;
    this.#incarnations.set(node, incarnation);
    const { times } = kinds[this.by];
    const config = {
      self: node,
      nodes,
      incarnation,
      by: this.by,
      times,
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
        known.length === nodes.length &&
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
    if (this.by === 'lease' && token < this.#last.token)
      this.violations.push(`${node} has ticked with ${token} after ${this.#last.token}`);
    this.#last = { token };
    this.onTick?.(node);
  }

  #told(node, incarnation, { knows, leads, tick, error }) {
    if (incarnation !== this.#incarnations.get(node)) return; // of one that was killed
    if (tick !== undefined) this.#ticked(node, tick);
    if (error !== undefined) this.violations.push(`${node} reports ${error}`);
    if (knows !== undefined && this.#known.has(node))
      this.#known.set(node, { knows, leads, since: now() });
  }
}

const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

const { values } = parseArgs({
  options: {
    elections: { type: 'boolean' },
    kills: { type: 'string', default: '200' },
    only: { type: 'string', default: Object.keys(kinds).join(',') },
    seed: { type: 'string', default: String(Date.now()) },
    json: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
});
const kills = Number(values.kills);
if (!(Number.isInteger(kills) && kills > 0))
  throw new Error(`--kills is a positive number, not '${values.kills}'`);
const results = { date: new Date().toISOString(), machine: machine(), kills, slack, runs: [] };
for (const by of values.only.split(',')) {
  const run = new Elections(by, randomOf(values.seed, by));
  const started = now();
  await run.run(kills).catch((error) => run.violations.push(error.stack));
  const seconds = Math.round((now() - started) / 1e6);
  const survivors = await run.end();
  if (survivors.length > 0) run.violations.push(`processes are left: ${survivors}`);
  const { takeovers, violations, ticks, leaders, refused } = run;
  const { times, detection, election } = kinds[by];
  const bound = detection + election + slack;
  const late = takeovers.filter((ms) => ms > bound).length;
  if (late > 0 && values.record)
    violations.push(`${late} times it took longer than ${bound} ms until another one led`);
  results.runs.push({
    by,
    times,
    bound,
    seconds,
    takeovers,
    late,
    ticks,
    leaders,
    refused,
    violations,
  });
  for (const text of violations.slice(0, 20)) console.error(`${by}: ${text}`);
}
console.log(values.json ? JSON.stringify(results) : electionsTable(results));
const good = results.runs.every(({ violations }) => violations.length === 0);
if (good && values.record)
  writeFileSync(
    new URL('../../docs/torture-elections.md', import.meta.url),
    electionsPage(results),
  );
process.exit(good ? 0 : 1);
