/** What all runs have: processes on one transport, with their storage, logs and incarnations. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { appender } from './log.mjs';
import { media } from './media.mjs';

const program = (file) => fileURLToPath(new URL(file, import.meta.url));

/** Each process leads a process group of its own; none outlives the harness. */
export class Harness {
  /** How many processes have been started. */
  processes = 0;
  /**
   * Of the stable storage: a process that is killed needs no disk, and waiting for one makes the
   * run slow.
   */
  data = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'conclave-torture-'));
  /** By name, the process that was started last, and how many have had the name. */
  children = new Map();
  incarnations = new Map();
  #alive = new Map();
  #groups = [];
  #reaper = spawn(process.execPath, [program('./reaper.run.mjs')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });

  /** @param folder of its logs; default: that of the storage */
  constructor(medium, folder = this.data, log = 'harness.log') {
    this.medium = medium;
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    this.log = appender(join(folder, log));
    this.#reaper.stdin.on('error', () => {});
    process.on('exit', this.#killAll);
  }

  async open(nodes) {
    const { folder } = this;
    this.network = await media[this.medium].start({ harness: this, nodes, folder });
  }

  /** Starts the next incarnation of a process, with its configuration as the argument. */
  launch(name, file, config, env = process.env) {
    const incarnation = (this.incarnations.get(name) ?? 0) + 1;
    this.incarnations.set(name, incarnation);
    const { medium, data } = this;
    const whole = JSON.stringify({ incarnation, medium, data, ...config });
    const [node, ...words] = this.network?.node ?? [process.execPath];
    const child = this.spawn(name, node, [...words, program(file), whole], {
      ...{ ipc: media[medium].isIpc, env },
    });
    this.children.set(name, child);
    this.network.attach?.(name, child);
    return child;
  }

  /** `onOutput` and `onError` get what it writes; others, as `env`, are of node:child_process. */
  spawn(
    name,
    command,
    options,
    { ipc = false, onError = (text) => process.stderr.write(`${name}: ${text}`), ...more } = {},
  ) {
    const { onOutput, ...others } = more;
    const child = spawn(command, options, {
      ...{ ...others, detached: true },
      stdio: ['ignore', onOutput ? 'pipe' : 'ignore', 'pipe', ...(ipc ? ['ipc'] : [])],
    });
    child.on('error', (error) => onError(`${error.message}\n`));
    if (child.pid === undefined) return child;
    child.stderr.setEncoding('utf8').on('data', onError);
    child.stdout?.setEncoding('utf8').on('data', onOutput);
    this.processes++;
    this.#alive.set(child.pid, child);
    this.#groups.push(child.pid);
    this.#reaper.stdin.write(`+${child.pid}\n`);
    child.once('exit', () => {
      this.#alive.delete(child.pid);
      this.#reaper.stdin.write(`-${child.pid}\n`);
    });
    return child;
  }

  /** Resolves when it is dead. */
  async end(child, signal = 'SIGKILL') {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const dead = once(child, 'exit');
    child.kill(signal);
    await dead;
  }

  /** Kills all, whatever happened, and returns the ids of those that survive: none. */
  async close() {
    await this.network?.stop();
    await Promise.all([...this.#alive.values()].map((child) => this.end(child)));
    process.off('exit', this.#killAll);
    const gone = once(this.#reaper, 'exit');
    this.#reaper.stdin.end();
    await gone;
    rmSync(this.data, { recursive: true, force: true });
    return this.#groups.filter(survives);
  }

  #killAll = () => {
    for (const pid of this.#alive.keys()) {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {} // it ended before
    }
  };
}

function survives(group) {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
