/**
 * The servers that the locks of the benchmark need, each with its defaults and its files in a
 * temporary folder. Those of NATS and Redis are the servers of the tests.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startServer } from '@conclave/core/internal/servers';

/** By the name of the server: starts it, and resolves with `{ url, close }`. */
const starts = {
  nats: () => startServer('nats-server'),
  redis: () => startServer('redis-server'),
  postgres: startPostgres,
};

/**
 * Starts those that can be started. `missing` gets the name of each other one, and how to get it.
 */
export async function startServers(names, missing) {
  const servers = new Map();
  for (const name of names)
    try {
      servers.set(name, await starts[name]());
    } catch (error) {
      missing(name, error);
    }
  return {
    urls: Object.fromEntries([...servers].map(([name, { url }]) => [name, url])),
    close: () => Promise.all([...servers.values()].map((server) => server.close())),
  };
}

async function startPostgres() {
  const bin = folderOfPostgres();
  if (!bin) throw new Error('postgres is not installed. Try: apt-get install postgresql');
  const folder = mkdtempSync(join(tmpdir(), 'conclave-postgres-'));
  const port = await freePort();
  const options = {};
  if (process.getuid?.() === 0) {
    // it refuses to run as root: take the user that its package has made
    const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
    Object.assign(options, { uid: idOf('-u'), gid: idOf('-g') });
    chownSync(folder, options.uid, options.gid);
  }
  const data = join(folder, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['--pgdata', data, '--username', 'bench', '--auth', 'trust', '--no-sync'],
    { ...options, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const settings = ['-D', data, '-k', folder, '-p', port, '-c', 'listen_addresses=127.0.0.1'];
  const close = await started(join(bin, 'postgres'), settings.map(String), {
    ...{ folder, port, options },
  });
  return { url: `postgres://bench@127.0.0.1:${port}/postgres`, close };
}

/** Where Debian's package puts the newest version, or the folder of one that is on the path. */
function folderOfPostgres() {
  const packages = '/usr/lib/postgresql';
  const versions = existsSync(packages) ? readdirSync(packages).sort((a, b) => b - a) : [];
  const folders = [
    ...versions.map((version) => join(packages, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')));
}

/** A process that accepts connections on its port within 20 s. Resolves with what ends it. */
async function started(program, args, { folder, port, options }) {
  let said = '';
  const child = spawn(program, args, {
    ...options,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.on('data', (text) => {
    said = `${said}${text}`.slice(-1000);
  });
  const end = () => child.kill('SIGINT'); // its processes end with it
  process.once('exit', end);
  const hasEnded = new Promise((resolve) => child.once('close', resolve));
  const close = async () => {
    end();
    await hasEnded;
    process.off('exit', end);
    rmSync(folder, { recursive: true, force: true });
  };
  for (const until = Date.now() + 20_000; !(await accepts(port)); ) {
    if (child.exitCode !== null || Date.now() > until) {
      await close();
      throw new Error(`${program} does not start: ${said.trim()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return close;
}

function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
