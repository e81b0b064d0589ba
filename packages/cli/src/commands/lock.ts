/**
 * A command of a shell under a lock of `@conclave/coordination`: cron jobs, scripts and agents, of one
 * machine by a folder and without a server, of several by the server that they have.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Held } from '@conclave/coordination';
import type { Command } from 'commander';
import { badInput } from '../errors.js';
import { declare, jsonOption, parsed, positive, text } from '../input/options.js';
import type { Session } from '../session.js';

const description = {
  name: 'lock',
  description: 'run a command under a lock',
  argument: ['words...', 'the name of the lock, and the command behind --'] as const,
  options: {
    store: text(
      'store',
      'where all programs that take the lock keep it: a folder, which is made, or postgres://…, redis://…, nats://… or sqlite:FILE, with their client installed here',
    ),
    lease: parsed(
      'ms',
      'after how long without a renewal others go on, the same for all (default: 10000)',
      positive,
    ),
    wait: parsed('ms', 'how long to wait for the lock at most (default: for ever)', positive),
    ...jsonOption,
  },
  help: `The command finds its fencing token in CONCLAVE_TOKEN: a number larger than that of every command
before. Where the lock is lost, as after a pause of this machine, the command gets SIGTERM. SIGINT and
SIGTERM go on to it. Where conclave itself is killed, the command goes on, and others get the lock when
the lease is over: only what compares tokens is safe then.

It ends with the exit code of the command, 128 and the signal that has ended it, 70 where the lock was
lost meanwhile, or 75 where it was not got within --wait.

Examples:
  conclave lock nightly --store /var/lib/locks -- ./backup.sh
  conclave lock nightly --store /var/lib/locks --wait 1000 -- ./backup.sh
  conclave lock nightly --store postgres://db/shop -- ./backup.sh`,
};

const lostCode = 70;
const lateCode = 75;

/** `conclave lock`: a command that no other one runs beside. */
export const lockCommand = (program: Command, session: Session): void =>
  declare(program, description, async (values, _name, words) => {
    const { lease = 10_000, wait, json } = values;
    const { store, name, file, args } = required(values.store, words);
    session.whenInterrupted?.('its command gets SIGTERM');
    const { lock } = await import('@conclave/coordination');
    const { openStore } = await import('../input/stores.js');
    const onError = ({ message }: Error) => session.stderr(`${message}\n`);
    const opened = await openStore(store);
    const stop = new AbortController();
    const asked = setInterval(() => session.interrupted?.() && stop.abort(), 50);
    try {
      await using mine = lock({
        store: opened.store,
        name,
        self: String(process.pid),
        lease,
        onError,
      });
      const options = { signal: stop.signal, ...(wait !== undefined && { waitFor: wait }) };
      const held = await mine.acquire(options);
      session.exitCode = await runUnder(held, file, args, stop.signal);
      held.release();
      if (json)
        session.stderr(
          `${JSON.stringify({ name, token: held.fencingToken, exitCode: session.exitCode })}\n`,
        );
    } catch (error) {
      const { code } = Object(error);
      if (code === 'aborted') session.exitCode = 130;
      else if (code === 'timed-out') {
        session.exitCode = lateCode;
        session.stderr(`The lock '${name}' was not free within ${wait} ms.\n`);
      } else throw error;
    } finally {
      clearInterval(asked);
      await opened.close();
    }
  });

function required(store: string | undefined, [name, file, ...args]: readonly string[]) {
  if (name === undefined || file === undefined)
    throw badInput(
      `conclave lock has ${name === undefined ? 'no name' : `the name '${name}', and no command`}`,
      'Give both: conclave lock nightly --store /var/lib/locks -- ./backup.sh.',
    );
  if (store === undefined)
    throw badInput(
      'conclave lock needs a store that all programs have in common',
      'Give it: --store /var/lib/locks, or --store postgres://db/shop.',
    );
  return { store, name, file, args };
}

/** @returns the exit code */
async function runUnder(
  held: Held<number>,
  file: string,
  args: readonly string[],
  stop: AbortSignal,
): Promise<number> {
  const env = { ...process.env, CONCLAVE_TOKEN: String(held.fencingToken) };
  const child = spawn(file, args, { stdio: 'inherit', env });
  const end = () => child.kill('SIGTERM');
  for (const signal of [held.signal, stop])
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  try {
    const [code, signal]: [number | null, NodeJS.Signals | null] = (await once(child, 'exit')) as [
      number | null,
      NodeJS.Signals | null,
    ]; // Node's types
    if (held.signal.aborted) return lostCode;
    return code ?? 128 + constants.signals[signal ?? 'SIGTERM'];
  } catch (error) {
    throw badInput(
      `The command '${file}' cannot be run: ${error instanceof Error ? error.message : error}`,
      'Give its path, or the name of a program on the PATH.',
    );
  }
}
