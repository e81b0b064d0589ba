/** Processes in virtual time that share jobs by a lock with leases. They crash, and pause. */

import { leasedMajority } from '@conclave/algorithms/leased-majority';
import { memoryNetwork, type Transport } from '@conclave/core/embedding';
import { Observable } from 'rxjs';
import { lock } from '../lock/lock.js';
import type { Store } from '../store/store.js';
import { once } from './once.js';
import type { DayClock, OnceEvent, OnceOptions, OnceRun } from './once-types.js';
import type { Schedule } from './schedule.js';

export const leased = leasedMajority({ lease: 2000, renewal: 600, cancel: true });

interface Timer {
  readonly due: number;
  readonly fire: () => void;
}

/** A process: its timers and messages wait while it is paused, and then come in their order. */
class Process {
  isCut = false;
  #isPaused = false;
  readonly #backlog: Timer[] = [];

  constructor(private readonly offset: number) {}

  /** For the lock: monotonic. */
  readonly clock = this.#clock(() => performance.now());
  /** For the job: the time of day, by a clock that may be wrong. */
  readonly dayClock: DayClock = this.#clock(() => Date.now() + this.offset);

  pause(): void {
    this.#isPaused = true;
  }

  async resume(): Promise<void> {
    const backlog = this.#backlog.splice(0).sort((one, other) => one.due - other.due);
    this.#isPaused = false;
    for (const { fire } of backlog) {
      fire();
      for (let turns = 0; turns < 20; turns++) await Promise.resolve(); // as between two timers
    }
  }

  /** Calls `fire` now, or when the process is resumed. */
  whenRunning(fire: () => void, due = performance.now()): void {
    if (this.#isPaused) this.#backlog.push({ due, fire });
    else fire();
  }

  /** By its clock. */
  readonly sleep = (ms: number): Promise<void> =>
    new Promise((resolve) => this.dayClock.setTimeout(resolve, ms));

  /** A store that it does not reach while it is paused. */
  reaching(store: Store): Store {
    const reached = () => new Promise<void>((resolve) => this.whenRunning(resolve));
    return {
      read: async (name) => {
        await reached();
        return store.read(name);
      },
      write: async (...texts) => {
        await reached();
        return store.write(...texts);
      },
    };
  }

  /** The transport of a process: messages arrive when it runs, unless it is cut off. */
  connected(transport: Transport): Transport {
    const received$: Transport['received$'] = new Observable((subscriber) =>
      transport.received$.subscribe((received) => {
        if (!this.isCut) this.whenRunning(() => subscriber.next(received));
      }),
    );
    return {
      ...transport,
      received$,
      send: (to, message) => {
        if (!this.isCut) transport.send(to, message);
      },
    };
  }

  #clock(now: () => number): DayClock {
    const gone = new WeakSet<object>();
    return {
      now,
      setTimeout: (fire, delay) => {
        const due = performance.now() + delay;
        const handle = {
          timer: setTimeout(() => this.whenRunning(() => gone.has(handle) || fire(), due), delay),
        };
        return handle;
      },
      clearTimeout: (handle) => {
        const { timer } = Object(handle);
        clearTimeout(timer);
        if (typeof handle === 'object' && handle) gone.add(handle);
      },
    };
  }
}

/** A run that has started, by the order of their starts. */
export interface Start {
  readonly node: string;
  readonly tick: number;
  readonly token: number | undefined;
  /** When it started, by the right clock. */
  readonly at: number;
}

export interface Setting {
  readonly ids?: readonly string[];
  readonly schedule?: Schedule;
  readonly options?: OnceOptions;
  /** By how many milliseconds the clock of a node is wrong. */
  readonly offsets?: Readonly<Record<string, number>>;
  readonly job?: (run: OnceRun, sleep: (ms: number) => Promise<void>) => unknown;
}

/** Nodes that share a job, by default each second. */
export function shared({ ids = ['a', 'b', 'c'], offsets = {}, ...setting }: Setting = {}) {
  const { schedule = { every: '1s' }, options = {}, job = () => {} } = setting;
  const network = memoryNetwork(ids);
  const starts: Start[] = [];
  const events: (OnceEvent & { readonly node: string })[] = [];
  const errors: unknown[] = [];
  const nodes = ids.map((self) => {
    const process = new Process(offsets[self] ?? 0);
    const leasedLock = lock(leased, {
      self,
      peers: ids,
      transport: process.connected(network.transport(self)),
      clock: process.clock,
    });
    const run = (started: OnceRun) => {
      const { tick, token } = started;
      starts.push({ node: self, tick: tick.getTime(), token, at: Date.now() });
      return job(started, process.sleep);
    };
    const onError = (error: unknown) => errors.push(error);
    const clock = process.dayClock;
    const jobs = once(leasedLock, 'job', schedule, run, {
      ...{ clock, onError },
      ...options,
      ...(options.store && { store: process.reaching(options.store) }),
    });
    jobs.event$.subscribe((event) => events.push({ ...event, node: self }));
    const node = { id: self, process, lock: leasedLock, once: jobs, isUp: true, crash: () => {} };
    node.crash = () => {
      node.isUp = false;
      process.isCut = true;
      process.pause();
    };
    return node;
  });
  const leaders = () => nodes.filter((node) => node.isUp && node.once.leads);
  const ticks = () => starts.map(({ tick }) => tick);
  const closeAll = async () => {
    for (const { process } of nodes) {
      process.isCut = false;
      await process.resume();
    }
    await Promise.all(nodes.map((node) => node.lock.close()));
  };
  return { nodes, starts, events, errors, leaders, ticks, closeAll };
}

/** All multiples of `step` from `first` to `last`. */
export const range = (first: number, last: number, step = 1000): readonly number[] =>
  Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, index) => first + index * step);
