/**
 * A server of Postgres for the benchmark, the torture and the tests of stores: those of NATS and Redis
 * need no user of their own, and no data that is made before they start. And a pooler before it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@conclave/core/internal/servers';

/** @throws where it is not installed */
export async function startPostgres() {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-postgres-'));
  const port = await freePort();
  const { program, argumentsOf, options } = preparedPostgres(folder);
  const close = await started(program, argumentsOf(port), { folder, port, options });
  return { url: urlOfPostgres(port), close };
}

export const urlOfPostgres = (port) => `postgres://bench@127.0.0.1:${port}/postgres`;

/**
 * A server with its data in this folder, which is to be run with these options of node:child_process.
 *
 * @throws where it is not installed
 */
export function preparedPostgres(folder) {
  const bin = folderOfPostgres();
  if (!bin) throw new Error('postgres is not installed. Try: apt-get install postgresql');
  const options = optionsIn(folder);
  const data = join(folder, 'data');
  execFileSync(
    join(bin, 'initdb'),
    ['--pgdata', data, '--username', 'bench', '--auth', 'trust', '--no-sync'],
    { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const settings = ['-D', data, '-k', folder, '-c', 'listen_addresses=127.0.0.1'];
  const argumentsOf = (port) => [...settings, '-p', String(port)];
  return { program: join(bin, 'postgres'), argumentsOf, options };
}

/** Postgres and PgBouncer refuse to run as root: take the user that the package has made. */
function optionsIn(folder) {
  if (process.getuid?.() !== 0) return { cwd: folder };
  const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const [uid, gid] = [idOf('-u'), idOf('-g')];
  chownSync(folder, uid, gid);
  return { cwd: folder, uid, gid };
}

const pathOfPgBouncer = () =>
  ['/usr/sbin', ...(process.env.PATH ?? '').split(':')]
    .map((folder) => join(folder, 'pgbouncer'))
    .find(existsSync);

export const missingPgBouncer = () =>
  pathOfPgBouncer() ? undefined : 'is not installed. Try: apt-get install pgbouncer. ';

/** A pooler before the server of this address, with so many connections to it. */
export async function startPgBouncer(address, mode, size) {
  const folder = mkdtempSync(join(tmpdir(), 'conclave-pgbouncer-'));
  const port = await freePort();
  const settings = join(folder, 'pgbouncer.ini');
  const lines = [
    ...['[databases]', `postgres = host=127.0.0.1 port=${new URL(address).port} user=bench`],
    ...['[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir ='],
    ...['auth_type = any', `pool_mode = ${mode}`, `default_pool_size = ${size}`],
  ];
  writeFileSync(settings, lines.join('\n'));
  const where = { folder, port, options: optionsIn(folder) };
  const close = await started(pathOfPgBouncer(), [settings], where);
  return { url: urlOfPostgres(port), close };
}

/** Where Debian's package puts the newest version, or the folder of one that is on the path. */
export function folderOfPostgres() {
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
