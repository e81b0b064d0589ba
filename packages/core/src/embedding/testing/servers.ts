/** Real servers for tests of transports. Node only. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConclaveError } from '../../base/error.js';

/** A server on a port of 127.0.0.1, with its files in a temporary folder. */
export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** Such as `nats://127.0.0.1:41234`. */
  readonly url: string;
  readonly pid: number | undefined;
  /** Starts it on the same port, after `kill`. Resolves when it answers. */
  start(): Promise<void>;
  /** Ends its process at once; resolves when it has ended. Default `SIGKILL`. */
  kill(signal?: 'SIGKILL' | 'SIGTERM'): Promise<void>;
  /** Ends it, and removes its folder. */
  close(): Promise<void>;
}

interface Kind {
  readonly binary: string;
  readonly scheme: string;
  readonly args: (port: number, folder: string) => readonly string[];
  /** What asks it whether it is there, and how its answer begins. */
  readonly question: string;
  readonly answer: RegExp;
}

const kinds = {
  'nats-server': {
    binary: 'nats-server',
    scheme: 'nats',
    args: (port, folder) => ['--addr', '127.0.0.1', '--port', String(port), '--store_dir', folder],
    question: '',
    answer: /^INFO /,
  },
  'redis-server': {
    binary: 'redis-server',
    scheme: 'redis',
    args: (port, folder) => [
      '--bind',
      '127.0.0.1',
      '--port',
      String(port),
      '--dir',
      folder,
      '--save',
      '',
      '--appendonly',
      'no',
    ],
    question: 'PING\r\n',
    answer: /^(\+PONG|-NOAUTH)/,
  },
  etcd: {
    binary: 'etcd',
    scheme: 'http',
    args: (port, folder) => {
      const [clients, peers] = [`http://127.0.0.1:${port}`, 'unix://peers:1'];
      return [
        ...['--data-dir', folder, '--initial-cluster', `default=${peers}`],
        ...['--listen-client-urls', clients, '--advertise-client-urls', clients],
        ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
      ];
    },
    question: 'GET /health HTTP/1.0\r\n\r\n',
    answer: /"health":"true"/,
  },
} as const satisfies Readonly<Record<string, Kind>>;

type ServerName = keyof typeof kinds;

/** Where package managers put servers, beside what the user has. */
const env = {
  ...process.env,
  PATH: [process.env.PATH, '/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']
    .filter(Boolean)
    .join(':'),
};

/**
 * Why server `name` cannot be started on this machine, and how to get it; undefined where it can.
 */
export function missingServer(name: ServerName): string | undefined {
  if (!spawnSync(name, ['--version'], { env }).error) return undefined;
  const brew = name === 'redis-server' ? 'redis' : name;
  const debian = name === 'etcd' ? 'etcd-server' : name;
  return `${name} is not installed. Try: apt-get install ${debian}, or brew install ${brew}`;
}

/**
 * Starts a server that stores nothing beyond its end.
 * @throws {ConclaveError} `bad-input` when its binary is missing, with how to get it
 */
export async function startServer(
  name: ServerName,
  {
    args = [],
    port,
  }: {
    /** Further arguments of its command line, such as `['--user', 'u', '--pass', 'p']`. */
    readonly args?: readonly string[];
    /** Default: a free one. */
    readonly port?: number;
  } = {},
): Promise<TestServer> {
  const missing = missingServer(name);
  if (missing) throw new ConclaveError('bad-input', missing);
  for (let attempt = 1; ; attempt++) {
    const server = new Server(kinds[name], port ?? (await freePort()), args);
    try {
      await server.start();
      return server;
    } catch (error) {
      await server.close();
      // another program may have taken the port
      if (attempt === 3 || port !== undefined) throw error;
    }
  }
}

const patience = 20_000;

class Server implements TestServer {
  readonly url: string;
  readonly #folder: string;
  #process: ChildProcess | undefined;
  #log = '';
  readonly #onExit = () => void this.#process?.kill('SIGKILL');

  constructor(
    private readonly kind: Kind,
    readonly port: number,
    private readonly more: readonly string[],
  ) {
    this.url = `${kind.scheme}://127.0.0.1:${port}`;
    this.#folder = mkdtempSync(join(tmpdir(), `conclave-${kind.binary}-`));
    process.once('exit', this.#onExit);
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<void> {
    if (this.#process) return;
    const { binary, args } = this.kind;
    const child = spawn(binary, [...args(this.port, this.#folder), ...this.more], {
      cwd: this.#folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    this.#log = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => (this.#log = `${this.#log}${text}`.slice(-2000)));
    child.once('exit', () => {
      if (this.#process === child) this.#process = undefined;
    });
    for (const end = Date.now() + patience; !(await this.#answers()); ) {
      if (this.#process !== child)
        throw new ConclaveError('closed', `${binary} has ended: ${this.#log}`);
      if (Date.now() > end)
        throw new ConclaveError(
          'timed-out',
          `${binary} does not answer on port ${this.port}: ${this.#log}`,
        );
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  async kill(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (!child) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async close(): Promise<void> {
    await this.kill();
    process.off('exit', this.#onExit);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #answers(): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = connect(this.port, '127.0.0.1');
      const end = (answers: boolean) => {
        socket.destroy();
        resolve(answers);
      };
      socket.setTimeout(1000, () => end(false));
      socket.once('error', () => end(false));
      socket.once('close', () => end(false));
      socket.once('connect', () => socket.write(this.kind.question));
      socket.once('data', (data) => end(this.kind.answer.test(data.toString())));
    });
  }
}

/**
 * Below the ports that systems give to connections: one of these could be taken before a server
 * listens on it.
 */
const [lowest, highest] = [15_000, 32_000];

/** Those that were given: each is given once. */
const given = new Set<number>();

/**
 * A port of loopback on which nobody listens now, for a server of a test; each time another one.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
