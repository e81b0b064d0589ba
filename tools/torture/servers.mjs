/**
 * Servers that a medium needs, as processes of their own: killed and started again on the same
 * port.
 */
import { connect } from 'node:net';
import { freePort } from '@conclave/core/internal/servers';

/** Resolves when something accepts connections on `port`. */
export async function accepting(port, running, patience = 10_000) {
  const until = Date.now() + patience;
  while (Date.now() < until && running()) {
    if (await connects(port)) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`Nothing accepts connections on port ${port} of loopback`);
}

/** Whether something accepts a connection. */
function connects(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** A broker that `command` starts on a port of its own. */
export class Broker {
  #process;

  /** @param commandOf the program and its arguments for a port */
  constructor(processes, name, commandOf) {
    this.processes = processes;
    this.name = name;
    this.commandOf = commandOf;
  }

  async start() {
    this.port ??= await freePort();
    const [program, ...options] = this.commandOf(this.port);
    let said = '';
    const started = this.processes.start(this.name, program, options, {
      onError: (text) => {
        said = (said + text).slice(-2000);
      },
    });
    this.#process = started;
    try {
      await accepting(
        this.port,
        () => started.pid !== undefined && started.exitCode === null && started.signalCode === null,
      );
    } catch (error) {
      throw new Error(
        `${this.name} does not start: ${said.trim() || error.message}. If it is not installed: apt-get install ${this.name}`,
      );
    }
  }

  /** Resolves when it is dead. */
  kill() {
    return this.processes.kill(this.#process);
  }
}
