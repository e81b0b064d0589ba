/** What a leader does when its store fails, or has what another one wrote. */
import { describe, expect, it } from 'vitest';
import { StoredProgress } from './progress.js';
import { memoryTicks, recordIn, type TickStore, textOf } from './tick-store.js';

/** A leader. It waits for nothing: after `patience` pauses its tenure is over. */
function leader(store: TickStore, { token = 1, node = 'a', now = 5000, patience = 20 } = {}) {
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
function failing(store: TickStore, when: 'before' | 'after') {
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
    write: (...texts: Parameters<TickStore['write']>) => tried(() => store.write(...texts)),
  });
}

const recordOf = async (store: TickStore) => recordIn((await store.read('job')) ?? '');

describe('a store', () => {
  it('without a record: ticks count from now on', async () => {
    const store = memoryTicks();
    const { progress } = leader(store);
    expect(await progress.open()).toBe(true);
    expect(progress.settled).toBe(5000);
    expect(await recordOf(store)).toEqual({ tick: 5000, token: 1, node: 'a', done: true });
  });

  it('lets one leader claim a tick, whose end is told', async () => {
    const store = memoryTicks();
    const { progress } = leader(store);
    await progress.open();
    expect(await progress.claim(6000)).toBe(true);
    expect(await recordOf(store)).toEqual({ tick: 6000, token: 1, node: 'a', done: false });
    await progress.finish(6000);
    expect(await recordOf(store)).toMatchObject({ tick: 6000, done: true });
  });

  it('refuses a leader as soon as one with a larger token has taken over', async () => {
    const store = memoryTicks();
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
    const store = memoryTicks();
    store.write('job', textOf({ tick: 4000, token: 1, node: 'b', done: false }), undefined);
    const { progress } = leader(store, { token: 2 });
    await progress.open();
    expect(progress.interrupted).toMatchObject({ tick: 4000, node: 'b' });
  });

  it('lets no two leaders without tokens claim one tick', async () => {
    const store = memoryTicks();
    const [one, other] = ['a', 'b'].map((node) => leader(store, { token: 0, node }).progress);
    await one?.open();
    await other?.open();
    const claims = await Promise.all([one?.claim(6000), other?.claim(6000)]);
    expect(claims.filter(Boolean)).toHaveLength(1);
  });
});

describe('a store that fails', () => {
  it.each(['before', 'after'] as const)('%s it has done what was wanted', async (when) => {
    const store = memoryTicks();
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
    const store = failing(memoryTicks(), 'before');
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
    const store = memoryTicks();
    store.write('job', 'hello', undefined);
    const { progress, errors } = leader(store);
    expect(await progress.open()).toBe(false);
    expect(errors[0]).toMatchObject({ code: 'bad-input' });
    expect(String(errors[0])).toMatch(/has 'hello', which is no record of a tick/);
  });
});
