import { checkOptions, schemas } from '@conclave/core/internal/options';
import { ConclaveError } from '@conclave/core/protocol';
import type { Election } from '../election/shared-election.js';
import type { Lock } from '../lock/lock-types.js';
import type { Locks } from '../lock/locks-types.js';
import { isName } from '../named-transports.js';
import { dayClock, Job } from './job.js';
import type { Once, OnceOptions, OnceRun } from './once-types.js';
import { type Schedule, ticksOf } from './schedule.js';
import { electionSeat, lockSeat, type Seat } from './seat.js';

/**
 * Runs `job` once among all processes at each tick of `schedule`: by the process that has the lock,
 * or that leads. All processes call it with the same name and schedule, over nodes of the same lock
 * or election. Over `locks` each name has a lock of its own, and the jobs spread over the
 * processes; over one lock or election its leader runs all jobs. The lock is held as long as
 * the process lives: use it for nothing else.
 *
 * Runs never overlap in one process, nor in two while the lock is right: a job that takes longer
 * than to the next tick makes that one late, and `catchUp` says what happens to it.
 *
 * **With a `store`** each tick is written to it before it starts, so that none is started twice.
 * **Without** none runs twice as long as the clocks of the processes differ by less than `skew`,
 * and ticks are lost while no process leads. docs/once.md has the table.
 *
 * @throws {ConclaveError} `bad-input` for a schedule without ticks, a name that is none or is in use
 * in this process, or `catchUp` without a store; `closed` by `locks`.
 * @example const jobs = once(lock, 'report', { at: '0 3 * * *' }, async ({ tick, token, signal }) =>
 * { await report(tick, token, signal); }, { store, catchUp: 'last' });
 */
export function once(
  leader: Lock | Locks | Election,
  name: string,
  schedule: Schedule,
  job: (run: OnceRun) => unknown,
  options: OnceOptions = {},
): Once {
  const where = `once '${name}'`;
  requireName(name);
  checkOptions(where, onceOptions, options);
  checkOptions(where, jobGiven, { job });
  const { store, catchUp = 'none', startWithin = Infinity, interrupted = 'skip' } = options;
  const { skew = 1000, clock = dayClock, onError = console.error } = options;
  if (!store && (catchUp !== 'none' || interrupted !== 'skip'))
    throw new ConclaveError(
      'bad-input',
      `${where}: ${catchUp === 'none' ? `interrupted: '${interrupted}'` : `catchUp: '${catchUp}'`} without a store, which would remember the last tick`,
      "Give store: fileTicks('data/ticks') of @conclave/algorithms/once/node, or one over your database.",
    );
  const ticks = ticksOf(where, schedule);
  const seat = seatOf(where, leader, name);
  const stopped = reserve(where, leader, name);
  return new Job(
    {
      ...{
        name,
        ticks,
        run: job,
        catchUp,
        startWithin,
        interrupted,
        skew,
        clock,
        onError,
        stopped,
      },
      ...(store && { store }),
    },
    seat,
  );
}

const { optional, optionsOf } = schemas;
const jobGiven = optionsOf<{ readonly job: unknown }>({ job: schemas.callback });
const onceOptions = optionsOf<OnceOptions>({
  store: optional(schemas.storage),
  catchUp: optional(schemas.oneOf(['none', 'last', 'all'])),
  startWithin: optional(schemas.measure('milliseconds')),
  interrupted: optional(schemas.oneOf(['skip', 'again'])),
  skew: optional(schemas.measure('milliseconds')),
  clock: optional(schemas.clockWithTime),
  onError: optional(schemas.callback),
});

function requireName(name: string): void {
  if (!isName(name))
    throw new ConclaveError(
      'bad-input',
      `once: '${String(name)}' is no name of a job`,
      'Give letters, digits and ._:@-, of which the first is a letter or a digit.',
    );
}

function seatOf(where: string, leader: Lock | Locks | Election, name: string): Seat {
  const given: object = Object(leader);
  if ('leader$' in given) return electionSeat(leader as Election); // no other facade has leader$
  if ('open' in given) return lockSeat((leader as Locks).open(name)); // locks only
  if ('acquire' in given) return lockSeat(leader as Lock); // locks were handled above
  throw new ConclaveError(
    'bad-input',
    `${where}: its first argument is no lock and no election`,
    'Give what lock, locks or election returned.',
  );
}

/** By lock or election: the names of jobs that this process runs over it. */
const inUse = new WeakMap<object, Set<string>>();

/** @returns what frees the name */
function reserve(where: string, leader: object, name: string): () => void {
  const names = inUse.get(leader) ?? new Set();
  inUse.set(leader, names);
  if (names.has(name))
    throw new ConclaveError(
      'bad-input',
      `${where}: this process has a job of this name already`,
      'Give each job a name of its own, or stop the first one.',
    );
  names.add(name);
  return () => names.delete(name);
}
