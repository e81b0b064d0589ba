import fc from 'fast-check';
import { BehaviorSubject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Random } from '../base/random.js';
import { VirtualClock } from '../simulation/clock.js';
import { Channel, type ChannelOptions } from './channel.js';
import { type Conditions, conditions, type Delay } from './conditions.js';

type Changes = Partial<Conditions> &
  Partial<Pick<ChannelOptions<number>, 'cut$' | 'linkDelay'>> & { readonly seed?: number };

/** A channel of numbers, with a record of each delivery and its time. */
function link({ seed = 1, cut$, linkDelay, ...changes }: Changes = {}) {
  const clock = new VirtualClock();
  const arrived: number[] = [];
  const times: number[] = [];
  const lost: number[] = [];
  const duplicated: number[] = [];
  const channel = new Channel<number>('a', 'b', {
    clock,
    random: new Random(seed),
    conditions: conditions(changes),
    observer: {
      lost: (_channel, item) => lost.push(item),
      duplicated: (_channel, item) => duplicated.push(item),
    },
    ...(cut$ ? { cut$ } : {}),
    ...(linkDelay === undefined ? {} : { linkDelay }),
  });
  channel.subscribe((item) => {
    arrived.push(item);
    times.push(clock.now());
  });
  return { clock, channel, arrived, times, lost, duplicated };
}

const wild: Delay = { kind: 'exponential', mean: 30 };
const inOrder = (items: readonly number[]) =>
  items.every((item, index) => index === 0 || (items[index - 1] ?? 0) <= item);

describe('a channel', () => {
  it('delivers after its delay, not at once', () => {
    const { clock, channel, arrived, times } = link({ delay: { kind: 'fixed', ms: 5 } });
    channel.next(1);
    expect([arrived, clock.pending]).toEqual([[], 1]);
    clock.run();
    expect([arrived, times]).toEqual([[1], [5]]);
    expect([channel.from, channel.to]).toEqual(['a', 'b']);
  });

  it('uses the delay of its link if the conditions say so', () => {
    const { clock, channel, times } = link({
      delay: { kind: 'link', jitter: { kind: 'fixed', ms: 1 } },
      linkDelay: 12,
    });
    channel.next(1);
    clock.run();
    expect(times).toEqual([13]);
    const without = link({ delay: { kind: 'link' } });
    without.channel.next(1);
    without.clock.run();
    expect(without.times).toEqual([0]);
  });

  it('has several subscribers, as any subject', () => {
    const { clock, channel, arrived } = link();
    const others: number[] = [];
    channel.subscribe((item) => others.push(item));
    channel.next(1);
    clock.run();
    expect([arrived, others]).toEqual([[1], [1]]);
  });
});

describe('order', () => {
  it('fifo holds for all delays, gaps between sends and duplications', () => {
    const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(40)), { minLength: 2, maxLength: 60 });
    fc.assert(
      fc.property(gaps, fc.nat(), fc.constantFrom(0, 0.4), (gaps, seed, duplication) => {
        const { clock, channel, arrived, times, duplicated } = link({
          seed,
          delay: wild,
          duplication,
        });
        let at = 0;
        for (const [item, gap] of gaps.entries()) {
          at += gap;
          clock.setTimeout(() => channel.next(item), at);
        }
        clock.run();
        expect(inOrder(arrived)).toBe(true);
        expect(inOrder(times)).toBe(true);
        expect(arrived.length).toBe(gaps.length + duplicated.length);
      }),
    );
  });

  it('fifo does not make a message wait for more than the one before it', () => {
    const { clock, channel, times } = link({ delay: { kind: 'uniform', least: 0, most: 10 } });
    for (let item = 0; item < 500; item++) clock.setTimeout(() => channel.next(item), item * 100);
    clock.run();
    expect(times.filter((time, item) => time >= item * 100 + 10)).toEqual([]);
    expect(new Set(times.map((time, item) => time - item * 100)).size).toBeGreaterThan(400);
  });

  it('any lets messages overtake', () => {
    const { clock, channel, arrived } = link({ order: 'any', delay: wild });
    for (let item = 0; item < 200; item++) channel.next(item);
    clock.run();
    expect(inOrder(arrived)).toBe(false);
    expect([...arrived].sort((a, b) => a - b)).toEqual(
      Array.from({ length: 200 }, (_, item) => item),
    );
    const overtaken = arrived.filter((item, index) =>
      arrived.slice(0, index).some((earlier) => earlier > item),
    );
    expect(overtaken.length).toBeGreaterThan(150);
  });
});

describe('faults', () => {
  it('lose and duplicate messages at the given probabilities, and report each to the observer', () => {
    const { clock, channel, arrived, lost, duplicated } = link({ loss: 0.2, duplication: 0.1 });
    const sent = 20_000;
    for (let item = 0; item < sent; item++) channel.next(item);
    clock.run();
    expect(Math.abs(lost.length - 0.2 * sent)).toBeLessThan(4 * Math.sqrt(sent * 0.2 * 0.8));
    const survived = sent - lost.length;
    expect(Math.abs(duplicated.length - 0.1 * survived)).toBeLessThan(
      4 * Math.sqrt(survived * 0.1 * 0.9),
    );
    expect(arrived.length).toBe(survived + duplicated.length);
    const counts = new Map<number, number>();
    for (const item of arrived) counts.set(item, (counts.get(item) ?? 0) + 1);
    expect(lost.every((item) => !counts.has(item))).toBe(true);
    expect(duplicated.every((item) => counts.get(item) === 2)).toBe(true);
  });

  it('take no random numbers where they cannot happen: the delays stay the same', () => {
    const times = (changes: Changes) => {
      const bench = link({ delay: wild, order: 'any', ...changes });
      for (let item = 0; item < 50; item++) bench.channel.next(item);
      bench.clock.run();
      return bench.times;
    };
    expect(times({ loss: 0, duplication: 0 })).toEqual(times({}));
    expect(times({ loss: 1 })).toEqual([]);
    expect(times({ duplication: 1 })).toHaveLength(100);
  });

  it('a duplicated message travels twice, each copy with its own delay', () => {
    const { clock, channel, arrived, times } = link({ duplication: 1, delay: wild, order: 'any' });
    channel.next(7);
    clock.run();
    expect(arrived).toEqual([7, 7]);
    expect(times[0]).not.toBe(times[1]);
  });
});

describe('conditions that change while the channel runs', () => {
  it('apply to messages sent later, not to those in flight', () => {
    const { clock, channel, arrived, times, lost } = link({
      delay: { kind: 'fixed', ms: 10 },
      order: 'any',
    });
    channel.next(1);
    channel.conditions = conditions({ delay: { kind: 'fixed', ms: 2 }, order: 'any' });
    channel.next(2);
    channel.conditions = conditions({ loss: 1 });
    channel.next(3);
    clock.run();
    expect([arrived, times, lost]).toEqual([[2, 1], [2, 10], [3]]);
  });

  it('keep messages sent under fifo in order, also across a period of any order', () => {
    const { clock, channel, arrived } = link({ delay: { kind: 'fixed', ms: 50 } });
    channel.next(1);
    channel.conditions = conditions({ delay: { kind: 'fixed', ms: 1 }, order: 'any' });
    channel.next(100);
    channel.conditions = conditions({ delay: { kind: 'fixed', ms: 1 } });
    channel.next(2);
    clock.run();
    expect(arrived).toEqual([100, 1, 2]);
  });
});

describe('a cut', () => {
  it('loses only the messages that are sent or would arrive during the cut', () => {
    const cut$ = new BehaviorSubject(false);
    const { clock, channel, arrived, lost } = link({ cut$, delay: { kind: 'fixed', ms: 10 } });
    const at = (time: number, act: () => void) => clock.setTimeout(act, time);
    at(0, () => channel.next(1)); // arrives at 10, before the cut
    at(5, () => channel.next(2)); // would arrive at 15
    at(12, () => cut$.next(true));
    at(14, () => channel.next(3)); // sent into the cut
    at(18, () => channel.next(4)); // sent into the cut, though it would arrive after
    at(20, () => cut$.next(false));
    at(21, () => channel.next(5));
    clock.run();
    expect([arrived, lost]).toEqual([
      [1, 5],
      [3, 2, 4],
    ]);
  });

  it('that ends before a message arrives does not affect it', () => {
    const cut$ = new BehaviorSubject(false);
    const { clock, channel, arrived } = link({ cut$, delay: { kind: 'fixed', ms: 10 } });
    channel.next(1);
    clock.setTimeout(() => cut$.next(true), 2);
    clock.setTimeout(() => cut$.next(false), 8);
    clock.run();
    expect(arrived).toEqual([1]);
  });

  it('is ignored by a closed channel, and messages in flight are dropped', () => {
    const cut$ = new BehaviorSubject(false);
    const { clock, channel, arrived } = link({ cut$ });
    channel.next(1);
    channel.unsubscribe();
    expect(cut$.observed).toBe(false);
    clock.run();
    expect(arrived).toEqual([]);
  });
});
