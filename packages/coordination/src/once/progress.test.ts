/** What a leader does when its store fails, or has what another one wrote. */
import { ConclaveError } from '@conclave/core/protocol';
import { assertRuns, proof, sampled } from '@conclave/tools/sample';
import fc from 'fast-check';
import { firstValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Held } from '../lock/lock-held.js';
import type { Lock } from '../lock/lock-types.js';
import { memoryStore, type Store } from '../store/store.js';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { range, shared } from './once.contract.js';
import { Job, type JobOptions, once } from './once.js';
import { type OnceEvent, recordIn, textOf } from './once-types.js';
import { StoredProgress } from './progress.js';
import { ticksOf } from './schedule.js';
import type { Seat } from './seat.js';

/** A leader. It waits for nothing: after `patience` pauses its tenure is over. */
function leader(store: Store, { token = 1, node = 'a', now = 5000, patience = 20 } = {}) {
  const errors: unknown[] = [];
  let pauses = 0;
  const progress = new StoredProgress({
    ...{ name: 'job', node, store },
    tenure: {
      token: token === 0 ? undefined : token,
      signal: new AbortController().signal,
      isOver: () => false,
    },
    now: () => now,
    isOver: () => pauses > patience,
    pause: async () => void pauses++,
    report: (error) => errors.push(error),
  });
  return { progress, errors };
}

/** The next calls fail, as many as `failures`; `after`: having done what was wanted. */
function failing(store: Store, when: 'before' | 'after') {
  const state = { failures: 0 };
  const tried = async <T>(call: () => T | Promise<T>): Promise<T> => {
    const fails = state.failures > 0;
    if (fails) state.failures--;
    if (fails && when === 'before') throw new Error('the network is down');
    const result = await call();
    if (fails) throw new Error('the answer is lost');
    return result;
  };
  return Object.assign(state, {
    read: (name: string) => tried(() => store.read(name)),
    write: (...texts: Parameters<Store['write']>) => tried(() => store.write(...texts)),
  });
}

const recordOf = async (store: Store) => recordIn((await store.read('job')) ?? '');

describe('a store', () => {
  it('without a record: ticks count from now on', async () => {
    const store = memoryStore();
    const { progress } = leader(store);
    expect(await progress.open()).toBe(true);
    expect(progress.settled).toBe(5000);
    expect(await recordOf(store)).toEqual({ tick: 5000, token: 1, node: 'a', done: true });
  });

  it('lets one leader claim a tick, whose end is told', async () => {
    const store = memoryStore();
    const { progress } = leader(store);
    await progress.open();
    expect(await progress.claim(6000)).toBe(true);
    expect(await recordOf(store)).toEqual({ tick: 6000, token: 1, node: 'a', done: false });
    await progress.finish(6000);
    expect(await recordOf(store)).toMatchObject({ tick: 6000, done: true });
  });

  it('refuses a leader as soon as one with a larger token has taken over', async () => {
    const store = memoryStore();
    const [old, next] = [leader(store), leader(store, { token: 2, node: 'b' })];
    await old.progress.open();
    await next.progress.open();
    expect(await next.progress.takeOver()).toBe(true);
    expect(await old.progress.claim(6000)).toBe(false);
    expect(await next.progress.claim(6000)).toBe(true);
    expect(await old.progress.open()).toBe(false);
    expect(old.errors).toMatchObject([{ code: 'lost' }]);
    expect(String(old.errors[0])).toMatch(/token 2 of node b.*leads by token 1 only/);
  });

  it('tells the run whose end nobody told', async () => {
    const store = memoryStore();
    store.write('job', textOf({ tick: 4000, token: 1, node: 'b', done: false }), undefined);
    const { progress } = leader(store, { token: 2 });
    await progress.open();
    expect(progress.interrupted).toMatchObject({ tick: 4000, node: 'b' });
  });

  it('lets no two leaders without tokens claim one tick', async () => {
    const store = memoryStore();
    const [one, other] = ['a', 'b'].map((node) => leader(store, { token: 0, node }).progress);
    await one?.open();
    await other?.open();
    const claims = await Promise.all([one?.claim(6000), other?.claim(6000)]);
    expect(claims.filter(Boolean)).toHaveLength(1);
  });
});

describe('a store that fails', () => {
  it.each(['before', 'after'] as const)('%s it has done what was wanted', async (when) => {
    const store = memoryStore();
    for (const failures of [1, 2, 3]) {
      const unsteady = failing(store, when);
      const { progress, errors } = leader(unsteady, { token: failures });
      const fail = () => {
        unsteady.failures = failures;
      };
      const tick = 6000 + failures;
      fail();
      expect(await progress.open()).toBe(true);
      fail();
      expect(await progress.takeOver()).toBe(true);
      fail();
      expect(await progress.claim(tick)).toBe(true);
      expect(await recordOf(store)).toMatchObject({ tick, token: failures, done: false });
      fail();
      await progress.finish(tick);
      expect(await recordOf(store)).toMatchObject({ tick, done: true });
      // one for each call that asks, however often it fails; the first record takes over by itself
      expect(errors).toHaveLength(failures === 1 ? 3 : 4);
      for (const error of errors)
        expect(error).toMatchObject({ code: 'unavailable', cause: expect.any(Error) });
    }
  });

  it('for ever: no tick is claimed', async () => {
    const store = failing(memoryStore(), 'before');
    const { progress, errors } = leader(store, { patience: 200 });
    await progress.open();
    store.failures = Infinity;
    expect(await progress.claim(6000)).toBe(false);
    const cure = 'No tick starts until it can: it is asked again each second.';
    expect(errors.map((error) => Object(error).message)).toEqual([
      `The store of 'job' cannot be written: the network is down. ${cure}`,
      `The store of 'job' cannot be read: the network is down (the 10th of its kind). ${cure}`,
      `The store of 'job' cannot be read: the network is down (the 100th of its kind). ${cure}`,
    ]);
  });

  it('has something else under this name', async () => {
    const store = memoryStore();
    store.write('job', 'hello', undefined);
    const { progress, errors } = leader(store);
    expect(await progress.open()).toBe(false);
    expect(errors[0]).toMatchObject({ code: 'bad-input' });
    expect(String(errors[0])).toMatch(/has 'hello', which is no record of a tick/);
  });
});

// Random faults in virtual time: crashes, pauses, nodes that are cut off, clocks that are wrong.

inVirtualTime();
const ids = ['a', 'b', 'c', 'd', 'e'];

const fault = fc.record({
  what: fc.constantFrom('pause', 'resume', 'cut', 'heal', 'stop', 'crash'),
  who: fc.constantFrom('leader', ...ids),
  wait: fc.integer({ min: 50, max: 4000 }),
});
const setting = fc.record({
  offsets: fc.dictionary(fc.constantFrom(...ids), fc.integer({ min: -3000, max: 3000 })),
  faults: fc.array(fault, { minLength: 2, maxLength: 8 }),
  job: fc.integer({ min: 0, max: 1500 }),
});

it('no tick starts twice, none is lost but those that are told, and the job goes on', async () => {
  const property = fc.asyncProperty(setting, async ({ offsets, faults, job }) => {
    const { nodes, ticks, events, leaders, closeAll } = shared({
      ids,
      offsets,
      options: { store: memoryStore(), catchUp: 'all', skew: 10_000 },
      job: (_, sleep) => sleep(job),
    });
    let gone = 0; // a majority of the nodes must be up, and run the job
    await pass(3000);
    for (const { what, who, wait } of faults) {
      const node = who === 'leader' ? leaders()[0] : nodes.find(({ id }) => id === who);
      if (what === 'pause') node?.process.pause();
      if (what === 'cut' && node) node.process.isCut = true;
      if (what === 'resume' && node?.isUp) await node.process.resume();
      if (what === 'heal' && node?.isUp) node.process.isCut = false;
      if (what === 'crash' && node?.isUp && gone++ < 2) node.crash();
      if (what === 'stop' && node?.isUp && gone++ < 2) void node.once.stop();
      await pass(wait);
    }
    for (const { isUp, process } of nodes) {
      process.isCut &&= !isUp;
      if (isUp) await process.resume();
    }
    const before = ticks().length;
    await pass(10_000);
    const started = ticks();
    expect(started.length).toBeGreaterThan(before);
    expect(started).toEqual([...new Set(started)].toSorted((one, other) => one - other));
    const told = events.flatMap((event) =>
      event.type === 'interrupted' ? [event.tick.getTime()] : [],
    );
    const due = range(started[0] ?? 0, started.at(-1) ?? 0);
    expect(due.filter((tick) => !started.includes(tick) && !told.includes(tick))).toEqual([]);
    await closeAll();
  });
  await assertRuns(property, 1, 60);
});

it('a job whose lease runs out before the signal tells is lost, with an error', async () => {
  const { signal } = new AbortController();
  let remaining = 1;
  const held: Held = {
    ...{ fencingToken: 1, fencingCondition: undefined, signal, lost: new Promise(() => {}) },
    get remaining() {
      return remaining;
    },
    release: () => {},
    [Symbol.asyncDispose]: async () => {},
  };
  const lock = { id: 'a', acquire: async () => held } as Partial<Lock> as Lock; // all that it calls
  const errors: unknown[] = [];
  const job = once(
    lock,
    'count',
    { every: 10 },
    () => {
      remaining = 0;
    },
    { store: memoryStore(), onError: (error) => errors.push(error) },
  );
  const events = firstValueFrom(job.event$.pipe(toArray()));
  while (errors.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await job.stop();
  expect(errors).toEqual([expect.any(ConclaveError)]);
  expect(errors[0]).toMatchObject({ code: 'lost', message: expect.stringContaining("'count'") });
  expect((await events).at(-1)).toMatchObject({ type: 'lost', error: errors[0] });
});

// Two leaders over one store: every order in which their calls reach it. The first one does not
// learn that the second one leads.

/** Something that may happen next. */
interface Step {
  readonly take: () => void;
  /** The store does it, and its answer is lost. */
  readonly lose?: (() => void) | undefined;
}

const settled = async () => {
  for (let turns = 0; turns < 25; turns++) await Promise.resolve();
};

const ticks = ticksOf('once', { every: 10 });
const due = [10, 20];

interface Setting {
  readonly catchUp: JobOptions['catchUp'];
  readonly interrupted: JobOptions['interrupted'];
  readonly tokens: readonly (number | undefined)[];
  /** How many answers of the store are lost. */
  readonly losses: number;
}

/** Two leaders whose calls of the store, and timers, wait for their turn. */
function twoLeaders({ catchUp, interrupted, tokens }: Setting) {
  const shared = memoryStore();
  shared.write('job', textOf({ tick: 0, token: 0, node: 'z', done: true }), undefined);
  const steps = new Map<string, Step>();
  const starts: { readonly tick: number; readonly node: string }[] = [];
  const events: OnceEvent[] = [];
  const begin = (node: string, token: number | undefined): Job => {
    const gated = <T>(call: () => T | Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        const take = () => resolve(call());
        const lose = () => {
          void call();
          reject(new Error('the answer is lost'));
        };
        steps.set(node, { take, lose });
      });
    const store: Store = {
      read: (name) => gated(() => shared.read(name)),
      write: (...texts) => gated(() => shared.write(...texts)),
    };
    const clock = {
      now: () => 25,
      setTimeout: (fire: () => void, delay: number) => {
        if (delay >= 1000) steps.set(node, { take: fire }); // it asks the store again
        return undefined; // otherwise it waits for the third tick
      },
      clearTimeout: () => {},
    };
    const tenure = { token, signal: new AbortController().signal, isOver: () => false };
    const seat: Seat = {
      id: node,
      join: (candidate) => {
        void candidate.begin(tenure);
        return () => {};
      },
    };
    const job = new Job(
      {
        ...{ name: 'job', ticks, store, catchUp, interrupted, clock },
        ...{ startWithin: Infinity, skew: 1000, onError: () => {}, stopped: () => {} },
        run: ({ tick }) => void starts.push({ tick: tick.getTime(), node }),
      },
      seat,
    );
    job.event$.subscribe((event) => events.push(event));
    return job;
  };
  for (const [index, token] of tokens.entries()) begin('ab'[index] ?? '', token);
  return { steps, starts, events };
}

/** Runs it by these choices, and the first one at each later step. Returns how many there were. */
async function runBy(choices: readonly number[], setting: Setting) {
  const { steps, starts, events } = twoLeaders(setting);
  const options: number[] = [];
  let { losses } = setting;
  for (let fired = 0; ; ) {
    await settled();
    const calls = [...steps].filter(([, { lose }]) => lose);
    const timers = [...steps].slice(0, fired < 4 ? 1 : 0); // a second is longer than all calls
    if (calls.length === 0) fired += timers.length;
    const possible = (calls.length > 0 ? calls : timers).flatMap(([node, { take, lose }]) => [
      { node, run: take, isLoss: false },
      ...(lose && losses > 0 ? [{ node, run: lose, isLoss: true }] : []),
    ]);
    const chosen = possible[choices[options.length] ?? 0];
    if (!chosen) break;
    if (options.length > 100) throw new Error('it does not end');
    options.push(possible.length);
    steps.delete(chosen.node);
    if (chosen.isLoss) losses--;
    chosen.run();
  }
  return { options, starts, events };
}

/** Every run, in the order of the choices. Returns how many there are. */
async function everyRun(
  setting: Setting,
  check: (run: Awaited<ReturnType<typeof runBy>>) => void,
): Promise<number> {
  let runs = 0;
  for (let choices: readonly number[] | undefined = []; choices; runs++) {
    const run = await runBy(choices, setting);
    check(run);
    const made = run.options.map((_, index) => choices?.[index] ?? 0);
    const last = made.findLastIndex((choice, index) => choice + 1 < (run.options[index] ?? 0));
    choices = last < 0 ? undefined : [...made.slice(0, last), (made[last] ?? 0) + 1];
  }
  return runs;
}

const startedTwice = (starts: readonly { readonly tick: number }[]): readonly number[] =>
  starts.map(({ tick }) => tick).filter((tick, index, all) => all.indexOf(tick) !== index);

const told = (events: readonly OnceEvent[]): ReadonlySet<number> =>
  new Set(events.flatMap((event) => (event.type === 'interrupted' ? [event.tick.getTime()] : [])));

const kinds = [
  ['tokens', [1, 2]],
  ['no tokens', [undefined, undefined]],
] as const;

it.each(sampled(kinds, 1))('all orders, with %s: each tick starts once', async (_, tokens) => {
  const setting = { catchUp: 'all', interrupted: 'skip', tokens, losses: 0 } as const;
  const runs = await everyRun(setting, ({ starts }) => {
    expect(starts.map(({ tick }) => tick)).toEqual(due);
  });
  expect(runs).toBeGreaterThan(50);
});

proof.each(kinds)(
  'all orders, an answer is lost, with %s: each tick starts once',
  async (_, tokens) => {
    const setting = { catchUp: 'all', interrupted: 'skip', tokens, losses: 1 } as const;
    await everyRun(setting, ({ starts, events }) => {
      expect(startedTwice(starts)).toEqual([]);
      const started = starts.map(({ tick }) => tick);
      expect(due.filter((tick) => !started.includes(tick) && !told(events).has(tick))).toEqual([]);
    });
  },
);

it('interrupted: again starts a tick twice only where it has told so', async () => {
  const setting = { catchUp: 'all', interrupted: 'again', tokens: [1, 2], losses: 0 } as const;
  let twice = 0;
  await everyRun(setting, ({ starts, events }) => {
    for (const tick of startedTwice(starts)) {
      twice++;
      expect(told(events)).toContain(tick);
    }
    expect(new Set(starts.map(({ tick }) => tick))).toEqual(new Set(due));
  });
  expect(twice).toBeGreaterThan(0);
});
