/**
 * Processes on one transport that are started wrongly. They append to one log, which tells what
 * they have done and is judged in the end. A line of it: time, what, label of the process, and
 * more.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@conclave/core/internal/servers';
import { Harness } from '../harness.mjs';
import { pause } from '../random.mjs';
import { sweep } from '../records.mjs';

/** Between threads of one process. */
export const ports = 'message ports';

export class Site extends Harness {
  /** @param common the part of the configuration that all processes have in common */
  constructor(medium, folder, common) {
    super(medium, folder, 'mistakes.log');
    this.common = common;
  }

  async open(nodes) {
    if (this.medium !== ports) await super.open(nodes);
  }

  /**
   * Starts a process. `label` names it in the log, and its storage, where it is another one than
   * its node.
   */
  async start(self, { label = self, ...changes } = {}) {
    const whole = this.network.addressOf(self);
    const nodes = changes.nodes ?? this.common.nodes;
    const address = addressFor(nodes, whole, self);
    const other = this.children.get(self);
    if (label !== self && address.listen && other?.exitCode === null && other.signalCode === null)
      address.listen = await freePort();
    this.log('process', label);
    const { folder } = this;
    const config = { ...this.common, ...changes, self, label, folder, address };
    const child = this.launch(label, './mistakes/worker.run.mjs', config);
    child.once('exit', (code, signal) => this.log('exit', label, code ?? signal));
  }

  /** All at about the same time. */
  async startAll(nodes, changes) {
    for (const node of nodes) await this.start(node, changes?.(node));
  }

  /** All in threads of one process, over message ports. */
  startThreads(nodes, changes) {
    const configs = nodes.map((self) => {
      const { folder } = this;
      return { ...this.common, ...changes(self), self, label: self, folder };
    });
    const program = fileURLToPath(new URL('./threads.run.mjs', import.meta.url));
    this.spawn('threads', process.execPath, [program, JSON.stringify(configs)]);
  }

  async kill(label) {
    await this.end(this.children.get(label));
    this.log('killed', label);
  }

  /** Resolves when `condition` holds, or after `patience` milliseconds. Whether it holds. */
  async until(condition, patience = 15_000) {
    for (const end = Date.now() + patience; Date.now() < end; await pause(50))
      if (condition(this)) return true;
    return condition(this);
  }

  /** Waits until each of `labels` has entered `times` more times. Whether all have. */
  async entered(labels, times = 3, patience = 20_000) {
    const before = new Map(labels.map((label) => [label, this.entriesOf(label)]));
    return this.until(
      () => labels.every((label) => this.entriesOf(label) >= before.get(label) + times),
      patience,
    );
  }

  lines() {
    const text = readFileSync(join(this.folder, 'mistakes.log'), 'utf8');
    return text
      .slice(0, text.lastIndexOf('\n'))
      .split('\n')
      .map((line) => line.split(' '));
  }

  /** The leader, when all of `labels` name the same one of them. */
  async agreed(labels) {
    const leader = () => {
      const known = new Map(
        this.lines().flatMap(([, what, who, leads]) =>
          what === 'knows' || what === 'start' ? [[who, leads]] : [],
        ),
      );
      const [first, ...others] = labels.map((label) => known.get(label));
      return labels.includes(first) && others.every((other) => other === first) ? first : undefined;
    };
    await this.until(leader, 20_000);
    return leader();
  }

  entriesOf(label) {
    return this.lines().filter(([, what, who]) => what === 'enter' && who === label).length;
  }

  /** What a process has reported: that it is refused, and other errors. */
  reportsOf(label) {
    return this.lines()
      .filter(([, what, who]) => (what === 'refused' || what === 'error') && who === label)
      .map(([, , , code, message]) => `${code}: ${message.replaceAll('_', ' ')}`);
  }

  /** Whether one of `labels` has reported one of `texts`. */
  says(labels, ...texts) {
    return labels.some((label) =>
      this.reportsOf(label).some((report) => texts.some((text) => report.includes(text))),
    );
  }

  /**
   * Whether its peers refuse it; or, where a relay knows each connection by its name, the relay.
   */
  isRefused(...labels) {
    return this.says(labels, 'another storage', 'a newer connection of this node replaces it');
  }

  judgement() {
    return judgementOf(this.lines());
  }
}

/**
 * An address of a mesh has the ports of all nodes; a process gets those of the nodes that it names.
 */
function addressFor(nodes, address, self) {
  if (!address.ports) return { ...address };
  return {
    ...address,
    ports: Object.fromEntries(
      Object.entries(address.ports).filter(([node]) => node !== self && nodes.includes(node)),
    ),
  };
}

/**
 * What the log of a site says of its lock: how often two processes were inside at once, and which
 * tokens came again.
 *
 * @param lines [time, what, label, …] in the order they were written; times may differ from that by
 * the time of a write
 */
export function judgementOf(lines) {
  const visits = [];
  const inside = new Map();
  for (const [at, what, label, word] of lines) {
    const time = Number(at);
    if (!['enter', 'leave', 'killed', 'exit'].includes(what)) continue;
    // no process overlaps with itself
    if (inside.has(label)) inside.get(label).to = what === 'enter' ? time - 1 : time;
    inside.delete(label);
    if (what !== 'enter') continue;
    const visit = { from: time, to: Number.POSITIVE_INFINITY, token: Number(word) };
    visits.push(visit);
    inside.set(label, visit);
  }
  const { overlaps, lateEntries } = sweep(visits);
  const tokens = new Set(visits.map(({ token }) => token));
  return {
    ...{ entries: visits.length, overlaps: overlaps.length, smaller: lateEntries.length },
    repeated: visits.length - tokens.size,
  };
}
