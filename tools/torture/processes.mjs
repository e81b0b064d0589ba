/** The processes of a run. Each leads a process group of its own; none outlives the harness. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = (file) => fileURLToPath(new URL(file, import.meta.url));

export class Processes {
  started = 0;
  #alive = new Map();
  #groups = [];
  #reaper = spawn(process.execPath, [program('./reaper.run.mjs')], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });

  constructor() {
    this.#reaper.stdin.on('error', () => {});
    process.on('exit', this.#killAll);
  }

  /** `onError` gets what it writes to its error output. */
  start(
    name,
    command,
    options,
    { ipc = false, onError = (text) => process.stderr.write(`${name}: ${text}`) } = {},
  ) {
    const child = spawn(command, options, {
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', ...(ipc ? ['ipc'] : [])],
    });
    child.on('error', (error) => onError(`${error.message}\n`));
    if (child.pid === undefined) return child;
    child.stderr.setEncoding('utf8').on('data', onError);
    this.started++;
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
  async kill(child) {
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const dead = once(child, 'exit');
    child.kill('SIGKILL');
    await dead;
  }

  /** Kills all, and returns the ids of those that survive: none. */
  async end() {
    await Promise.all([...this.#alive.values()].map((child) => this.kill(child)));
    process.off('exit', this.#killAll);
    const gone = once(this.#reaper, 'exit');
    this.#reaper.stdin.end();
    await gone;
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
