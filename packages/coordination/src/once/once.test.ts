/** A job among several nodes, in virtual time: which ticks run, where, and how often. */
import { sampled } from '@conclave/tools/sample';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { memoryStore } from '../store/store.js';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { range, shared } from './once.contract.js';

inVirtualTime();
/** Between two ticks. */
const start = Date.parse('2026-11-26T12:00:00.500Z');
beforeEach(() => void vi.setSystemTime(start));
const after = (seconds: number) => start + 500 + (seconds - 1) * 1000; // the n-th tick

const rules = ['none', 'last', 'all'] as const;

describe.each(sampled(rules, 1))('catchUp: %s', (catchUp) => {
  it('runs each tick once, in order, at its time, by one node', async () => {
    const store = memoryStore();
    const write = vi.spyOn(store, 'write');
    const { ticks, starts, errors, leaders, closeAll } = shared({ options: { store, catchUp } });
    await pass(10_000);
    expect(write).toHaveBeenCalledTimes(1 + 2 * 10); // the first record; each tick, and its end
    expect(ticks()).toEqual(range(after(1), after(10)));
    expect(starts.every(({ tick, at }) => at - tick < 50)).toBe(true);
    expect(leaders()).toHaveLength(1);
    await closeAll();
    expect(errors).toEqual([]);
  });

  it('after a crash of the leader: the ticks of the gap', async () => {
    const { ticks, starts, events, leaders, closeAll } = shared({
      options: { store: memoryStore(), catchUp },
    });
    await pass(5_000);
    leaders()[0]?.crash();
    await pass(10_000);
    const [first] = starts.filter(({ node }) => node !== starts[0]?.node);
    const gapUntil = events.findLast(({ type }) => type === 'leads') && first?.at;
    const late = range(after(6), Number(gapUntil)).filter((tick) => tick + 50 < Number(gapUntil));
    expect(late.length).toBeGreaterThan(0);
    const ran: readonly number[] = { none: [], last: late.slice(-1), all: late }[catchUp];
    const skipped = late.filter((tick) => !ran.includes(tick));
    expect(ticks()).toEqual([
      ...range(after(1), after(5)),
      ...ran,
      ...range(late.at(-1) ?? 0, after(15)).slice(1),
    ]);
    const told = events.flatMap((event) => (event.type === 'skipped' ? [event] : []));
    expect(told.flatMap(({ first, last }) => range(first.getTime(), last.getTime()))).toEqual(
      skipped,
    );
    const tokens = starts.map(({ token }) => Number(token));
    expect(tokens).toEqual(tokens.toSorted((one, other) => one - other));
    expect(new Set(tokens).size).toBe(2);
    await closeAll();
  });

  it('a job that takes longer than an interval: the ticks that came due meanwhile', async () => {
    let working = 0;
    const { ticks, closeAll } = shared({
      options: { store: memoryStore(), catchUp },
      job: async ({ tick }, sleep) => {
        expect(working++).toBe(0);
        if (tick.getTime() === after(2)) await sleep(3_300);
        working--;
      },
    });
    await pass(8_000);
    expect(ticks().map((tick) => (tick - after(0)) / 1000)).toEqual(
      { none: [1, 2, 6, 7, 8], last: [1, 2, 5, 6, 7, 8], all: range(1, 8, 1) }[catchUp],
    );
    await closeAll();
  });
});

describe('a leader that is paused', () => {
  it('starts no tick that another one has started', async () => {
    const { ticks, leaders, closeAll } = shared({
      options: { store: memoryStore(), catchUp: 'all' },
    });
    await pass(3_000);
    const [paused] = leaders();
    for (let round = 0; round < 2; round++) {
      paused?.process.pause();
      await pass(4_700);
      await paused?.process.resume();
      await pass(1_000);
    }
    expect(ticks()).toEqual(range(after(1), after(14)));
    expect(leaders()).toHaveLength(1);
    await closeAll();
  });

  it('aborts the signal of its job, and tells that the run is lost', async () => {
    const reasons: unknown[] = [];
    const { events, errors, leaders, closeAll } = shared({
      options: { store: memoryStore(), catchUp: 'all' },
      job: async ({ signal }, sleep) => {
        signal.addEventListener('abort', () => reasons.push(signal.reason.code));
        await sleep(200);
      },
    });
    await pass(3_600);
    const [leader] = leaders();
    leader?.process.pause();
    await pass(500); // in the run
    await pass(3_000);
    await leader?.process.resume();
    await pass(500);
    const of = (type: string) => events.filter((event) => event.type === type);
    expect([of('lost').length, of('interrupted').length, reasons]).toEqual([1, 1, ['lost']]);
    expect(of('interrupted')[0]).toMatchObject({
      node: expect.not.stringMatching(leader?.id ?? ''),
    });
    expect(errors).toMatchObject([{ code: 'lost' }]);
    await closeAll();
  });
});

it('a leader whose job goes on although the lock is lost does not stand again before it has ended', async () => {
  const { leaders, nodes, closeAll } = shared({
    options: { store: memoryStore(), catchUp: 'all' },
    job: ({ tick }, sleep) => (tick.getTime() === after(2) ? sleep(9_000) : undefined),
  });
  await pass(2_000);
  const [first] = leaders();
  if (first) first.process.isCut = true;
  await pass(4_000); // the lease is over
  if (first) first.process.isCut = false;
  await pass(1_000);
  const waiting = () => nodes.map(({ lock }) => lock.metrics.waiting + lock.metrics.held);
  expect([waiting().length, waiting().filter(Boolean).length]).toEqual([3, 2]);
  await pass(5_000);
  expect(waiting()).toEqual([1, 1, 1]);
  await closeAll();
});

it.each(['skip', 'again'] as const)(
  'interrupted %s: a run that a crash cuts short',
  async (interrupted) => {
    const { ticks, starts, events, leaders, closeAll } = shared({
      options: { store: memoryStore(), catchUp: 'all', interrupted },
      job: (_, sleep) => sleep(300),
    });
    await pass(3_600); // in the run of the fourth tick
    leaders()[0]?.crash();
    await pass(6_000);
    const again = interrupted === 'again' ? [after(4)] : [];
    expect(ticks()).toEqual([
      ...range(after(1), after(4)),
      ...again,
      ...range(after(5), after(10)),
    ]);
    expect(events.filter(({ type }) => type === 'interrupted')).toMatchObject([
      { tick: new Date(after(4)) },
    ]);
    const [first, second] = starts.filter(({ tick }) => tick === after(4));
    if (second) expect(second.token).toBeGreaterThan(Number(first?.token));
    await closeAll();
  },
);

it.each(sampled([-450, 450, 0], 1))(
  'without a store no tick runs twice, as long as clocks differ by less than skew: %i ms',
  async (offset) => {
    const { ticks, starts, leaders, errors, closeAll } = shared({
      ids: ['a', 'b', 'c', 'd', 'e'],
      offsets: { a: offset, b: -offset, c: offset, d: -offset, e: 0 },
      schedule: { every: 250 },
    });
    await pass(3_000);
    for (const way of ['pause', 'crash', 'stop', 'pause', 'crash']) {
      const [leader] = leaders();
      if (way === 'stop') await leader?.once.stop();
      else if (way === 'crash') leader?.crash();
      else leader?.process.pause();
      await pass(5_100);
      if (way === 'pause') await leader?.process.resume();
    }
    expect(new Set(ticks()).size).toBe(ticks().length);
    expect(ticks().length).toBeGreaterThan(28_000 / 250 / 4);
    const tokens = starts.map(({ token }) => Number(token));
    expect(tokens).toEqual(tokens.toSorted((one, other) => one - other)); // none starts late
    expect(leaders()).toHaveLength(1);
    await closeAll();
    expect(errors).toEqual([]);
  },
);

it('a leader that was paused over a tick does not start it late, before its lost lease is told', async () => {
  const { ticks, leaders, closeAll } = shared({ schedule: { every: '10s' } });
  await pass(9_400);
  const [first] = leaders();
  first?.process.pause();
  await pass(5_000); // the tick is due within the lease
  await first?.process.resume();
  expect(leaders().map(({ id }) => id)).not.toContain(first?.id);
  await pass(10_000);
  expect(ticks()).toEqual([after(20)]); // without a store, the first one is lost
  await closeAll();
});

it('a long row of ticks that is caught up lets the event loop turn', async () => {
  const turns: number[] = [];
  const { starts, closeAll } = shared({
    options: { store: memoryStore(), catchUp: 'all' },
    job: () => {
      setTimeout(() => turns.push(starts.length), 0);
      vi.setSystemTime(Date.now() + 20); // it computes
    },
  });
  await pass(2_000);
  vi.setSystemTime(Date.now() + 60_000);
  turns.splice(0, turns.length, starts.length);
  await pass(2_000);
  expect(starts.length).toBeGreaterThan(60);
  const rows = turns.slice(1).map((count, place) => count - (turns[place] ?? 0));
  expect(Math.max(...rows)).toBeLessThan(10);
  await closeAll();
});

describe('clocks', () => {
  it('with a store they may differ by any time: no tick runs twice, none is lost', async () => {
    const { ticks, leaders, closeAll } = shared({
      offsets: { a: 7_300, b: -5_200, c: 0 },
      options: { store: memoryStore(), catchUp: 'all', skew: 20_000 },
    });
    await pass(5_000);
    await leaders()[0]?.once.stop();
    await pass(15_000);
    leaders()[0]?.crash();
    await pass(15_000);
    const [first = 0] = ticks();
    expect(ticks()).toEqual(range(first, ticks().at(-1) ?? 0));
    expect(ticks().length).toBeGreaterThan(20);
    await closeAll();
  });

  it('reports a last tick that lies in the future', async () => {
    const { errors, leaders, closeAll } = shared({
      offsets: { a: 3_600_000, b: 3_600_000, c: 0 },
      options: { store: memoryStore(), catchUp: 'all' },
    });
    await pass(2_000);
    for (let left = 3; left > 0 && leaders()[0]?.id !== 'c'; left--) {
      await leaders()[0]?.once.stop();
      await pass(2_000);
    }
    expect(errors).toMatchObject([{ code: 'assumption' }]);
    expect(String(errors[0])).toMatch(/3[56]\d\d\d\d\d ms in the future/);
    await closeAll();
  });
});
