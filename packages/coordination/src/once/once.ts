/**
 * A job at each tick, in one of several programs: the one that leads, or has the lock, starts the
 * ticks that are due, and records each before it runs.
 */
import { checkOptions, printError, schemas } from '@conclave/core/internal';
import { ConclaveError, type NodeId } from '@conclave/core/protocol';
import { type Observable, Subject } from 'rxjs';
import type { Election } from '../election/shared-election.js';
import type { Lock } from '../lock/lock-types.js';
import type { Locks } from '../lock/locks-types.js';
import { isName } from '../named-transports.js';
import type { DayClock, Once, OnceEvent, OnceOptions, OnceRun } from './once-types.js';
import { type Progress, RememberedProgress, StoredProgress } from './progress.js';
import { type CatchUp, dueAt, type Schedule, ticksOf } from './schedule.js';
import { type Candidate, electionSeat, lockSeat, type Seat, type Tenure } from './seat.js';
import type { Ticks } from './zoned.js';

export interface JobOptions extends CatchUp, Pick<OnceOptions, 'store'> {
  readonly name: string;
  readonly ticks: Ticks;
  readonly run: (run: OnceRun) => unknown;
  readonly interrupted: 'skip' | 'again';
  readonly skew: number;
  readonly clock: DayClock;
  readonly onError: (error: unknown) => void;
  /** Called when it has stopped. */
  readonly stopped: () => void;
}

/** After an error of the store. */
const retryAfter = 1000;

/** How long ticks may be caught up, one after the other, before the event loop turns. */
const longestRow = 50;

/** Runs the job while this process leads. */
export class Job implements Once, Candidate {
  readonly name: string;
  readonly event$: Observable<OnceEvent>;
  readonly #events = new Subject<OnceEvent>();
  readonly #stopping = new AbortController();
  readonly #leave: () => void;
  #work: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;
  #leads = false;
  /** The last tick that this process knows, in Unix milliseconds. */
  #settled = -Infinity;

  constructor(
    private readonly options: JobOptions,
    private readonly seat: Seat,
  ) {
    this.name = options.name;
    this.event$ = this.#events.asObservable();
    this.#leave = seat.join(this);
  }

  get leads(): boolean {
    return this.#leads;
  }

  get next(): Date | undefined {
    const { ticks, clock } = this.options;
    const next = ticks.next(clock.now());
    return next === Infinity ? undefined : new Date(next);
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#end();
    return this.#stopped;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  begin(tenure: Tenure): Promise<void> {
    this.#work = this.#work.then(() => this.#lead(tenure)).catch(this.options.onError);
    return this.#work;
  }

  end(cause?: unknown): void {
    const isClosed = cause instanceof ConclaveError && cause.code === 'closed';
    if (cause !== undefined && !isClosed) this.options.onError(cause);
    void this.stop();
  }

  async #end(): Promise<void> {
    this.#stopping.abort();
    await this.#work;
    this.#leave();
    this.options.stopped();
    this.#events.complete();
  }

  async #lead(tenure: Tenure): Promise<void> {
    const signal = AbortSignal.any([tenure.signal, this.#stopping.signal]);
    const isOver = () => signal.aborted || tenure.isOver();
    if (isOver()) return;
    const progress = this.#progressIn(tenure, signal, isOver);
    if (!progress || !(await progress.open())) return;
    this.#leads = true;
    this.#tell({ type: 'leads', token: tenure.token });
    this.#requireClock(progress.settled);
    try {
      await this.#takeOver(tenure, progress, isOver);
      await this.#runTicks(tenure, progress, signal, isOver);
    } finally {
      this.#leads = false;
    }
  }

  #progressIn(tenure: Tenure, signal: AbortSignal, isOver: () => boolean): Progress | undefined {
    const { name, store, clock, skew, interrupted, onError: report } = this.options;
    if (store && (tenure.token !== undefined || interrupted === 'skip'))
      return new StoredProgress({
        ...{ name, node: this.seat.id, store, tenure, isOver, report },
        now: () => clock.now(),
        pause: () => pauseFor(clock, retryAfter, signal),
      });
    if (!store && tenure.token !== undefined) return new RememberedProgress(clock.now() + skew);
    report(
      new ConclaveError(
        'assumption',
        `once '${name}': this lock or election has no fencing token, so that two processes may lead at once, and a tick may run twice`,
        "Give a store and interrupted: 'skip', or take lock({ tolerate: 'crash', … }) or election({ by: 'lease', … }).",
      ),
    );
    return undefined;
  }

  #requireClock(settled: number): void {
    const { name, store, clock, skew, onError } = this.options;
    const ahead = settled - clock.now();
    if (store && ahead > skew)
      onError(
        new ConclaveError(
          'assumption',
          `once '${name}': the last tick lies ${ahead} ms in the future by the clock of this process, and no tick runs before`,
          'Check the clocks. If one was wrong, delete the record of this name in the store.',
        ),
      );
  }

  /** Settles what another leader has left, until it writes no longer. */
  async #takeOver(tenure: Tenure, progress: Progress, isOver: () => boolean): Promise<void> {
    do {
      const { interrupted } = progress;
      if (interrupted) {
        const { tick, node } = interrupted;
        this.#tell({ type: 'interrupted', tick: new Date(tick), node });
      }
      if (!interrupted || this.options.interrupted === 'skip') {
        if (await progress.takeOver()) return;
      } else if (await progress.claim(interrupted.tick))
        return this.#run(tenure, progress, interrupted.tick);
    } while (!isOver() && (await progress.open()));
  }

  async #runTicks(
    tenure: Tenure,
    progress: Progress,
    signal: AbortSignal,
    isOver: () => boolean,
  ): Promise<void> {
    const { ticks, clock } = this.options;
    let awaited: number | undefined;
    let rested = clock.now();
    while (!isOver()) {
      const now = clock.now();
      if (now - rested > longestRow) {
        await pauseFor(clock, 0, signal);
        rested = now;
        continue;
      }
      this.#settled = Math.max(this.#settled, progress.settled);
      const settled = this.#settled;
      const { tick, skipped } = dueAt(ticks, this.options, { now, settled, awaited });
      if (skipped) {
        const { first, last } = skipped;
        this.#settled = last;
        this.#tell({ type: 'skipped', first: new Date(first), last: new Date(last) });
      }
      if (tick === undefined) {
        awaited = ticks.next(this.#settled);
        await pauseFor(clock, awaited - now, signal);
        rested = clock.now();
      } else if (await progress.claim(tick)) await this.#run(tenure, progress, tick);
      else if (await progress.open()) await this.#takeOver(tenure, progress, isOver);
    }
  }

  async #run(tenure: Tenure, progress: Progress, at: number): Promise<void> {
    const { token, signal, isOver } = tenure;
    if (signal.aborted || isOver()) return; // the next leader tells that it was interrupted
    const tick = new Date(at);
    this.#tell({ type: 'started', tick, token });
    const failure = await this.#ran(tenure, at);
    if (signal.aborted || isOver()) {
      // without a reason: the lease has run out, and the signal has not told yet
      const error = signal.reason ?? lostIn(this.options.name, this.seat.id);
      this.options.onError(error);
      return this.#tell({ type: 'lost', tick, token, error });
    }
    await progress.finish(at);
    if (failure) this.options.onError(failure.error);
    this.#tell(
      failure ? { type: 'failed', tick, token, ...failure } : { type: 'done', tick, token },
    );
  }

  /** What the job has thrown. Its signal is one of its own: a job may leave listeners on it. */
  async #ran(
    { token, signal }: Tenure,
    at: number,
  ): Promise<{ readonly error: unknown } | undefined> {
    const { name, run } = this.options;
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    signal.addEventListener('abort', abort);
    try {
      await run({ name, tick: new Date(at), token, signal: controller.signal });
      return undefined;
    } catch (error) {
      return { error };
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  #tell(event: OnceEvent): void {
    this.#events.next(event);
  }
}

const lostIn = (name: string, id: NodeId): ConclaveError =>
  new ConclaveError(
    'lost',
    `once '${name}': node ${id} has lost the lock before the job ended`,
    'Let the job end sooner, or stop it by its signal.',
  );

/** A clock that was set, or a machine that was asleep, is noticed within this time. */
const longestPause = 60_000;

const dayClock: DayClock = {
  now: () => Date.now(),
  setTimeout: (fire, delay) => globalThis.setTimeout(fire, delay),
  clearTimeout: (handle) =>
    // it made the handle
    globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
};

/** Waits for so many milliseconds, at most until `signal` aborts, and at most a minute. */
const pauseFor = (clock: DayClock, ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      clock.clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.setTimeout(end, Math.min(ms, longestPause));
    signal.addEventListener('abort', end);
  });

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
  const { skew = 1000, clock = dayClock, onError = printError } = options;
  if (!store && (catchUp !== 'none' || interrupted !== 'skip'))
    throw new ConclaveError(
      'bad-input',
      `${where}: ${catchUp === 'none' ? `interrupted: '${interrupted}'` : `catchUp: '${catchUp}'`} without a store, which would remember the last tick`,
      "Give store: fileStore('data/ticks') of @conclave/coordination/node, or one over your database.",
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
  if ('leader$' in given) return electionSeat(leader as Election); // no lock has leader$
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
