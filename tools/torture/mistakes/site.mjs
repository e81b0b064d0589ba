/** Processes on one transport that are started wrongly, and what their log says. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@conclave/core/internal/servers';
import { appender } from '../log.mjs';
import { media } from '../media.mjs';
import { Processes } from '../processes.mjs';
import { judged } from './judge.mjs';

const program = fileURLToPath(new URL('./worker.run.mjs', import.meta.url));
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));

export class Site {
  #processes = new Processes();
  #children = new Map();
  #data = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'conclave-mistakes-'));

  /** @param common what all processes have in common */
  constructor(medium, folder, common) {
    this.medium = medium;
    this.folder = folder;
    this.common = common;
    mkdirSync(folder, { recursive: true });
    this.log = appender(join(folder, 'mistakes.log'));
  }

  async open() {
    this.network = await media[this.medium].start({
      processes: this.#processes,
      nodes: ['Z', 'a', 'b', 'c', 'd', 'e', 'z'],
      folder: this.folder,
    });
  }

  /**
   * Starts a process. `label` names it in the log, and its storage, where it is another one than
   * its node.
   */
  async start(self, { label = self, ...changes } = {}) {
    const address = this.network.addressOf(self);
    const nodes = changes.nodes ?? this.common.nodes;
    const config = {
      ...this.common,
      ...changes,
      self,
      label,
      medium: this.medium,
      folder: this.folder,
      address: reached(address, self, nodes),
    };
    const other = this.#children.get(self);
    if (label !== self && address.listen && other?.exitCode === null && other.signalCode === null)
      config.address.listen = await freePort();
    if (config.stores) config.data = this.#data;
    this.log('process', label);
    const child = this.#processes.start(label, process.execPath, [program, JSON.stringify(config)]);
    child.once('exit', (code, signal) => this.log('exit', label, code ?? signal));
    this.#children.set(label, child);
  }

  /** All at about the same time. */
  async startAll(nodes, changes) {
    for (const node of nodes) await this.start(node, changes?.(node));
  }

  async kill(label) {
    await this.#processes.kill(this.#children.get(label));
    this.log('killed', label);
  }

  /** Resolves when `is` holds for the log, or after `patience` milliseconds. Whether it holds. */
  async until(is, patience = 15_000) {
    for (const end = Date.now() + patience; Date.now() < end; await pause(50))
      if (is(this)) return true;
    return is(this);
  }

  /** Each of `labels` has entered `times` more times from now on. */
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

  /** What a process was told: refusals of itself, or errors that it has reported. */
  told(label) {
    return this.lines()
      .filter(([, what, who]) => (what === 'refused' || what === 'error') && who === label)
      .map(([, , , code, message]) => `${code}: ${message.replaceAll('_', ' ')}`);
  }

  judged() {
    return judged(this.lines());
  }

  async close() {
    this.network?.stop();
    await this.#processes.end();
    rmSync(this.#data, { recursive: true, force: true });
  }
}

/** An address of a mesh has the ports of the other nodes: only of those that the process names. */
function reached(address, self, nodes) {
  if (!address.ports) return { ...address };
  return {
    ...address,
    ports: Object.fromEntries(
      Object.entries(address.ports).filter(([node]) => node !== self && nodes.includes(node)),
    ),
  };
}
