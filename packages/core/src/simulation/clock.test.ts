import { assertRuns } from '@conclave/tools/sample';
import fc from 'fast-check';
import { debounceTime, delay, interval, map, of, Subject, take, throttleTime, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createActor, createMachine } from 'xstate';
import type { Receiver } from '../channel/channel.js';
import { calls } from '../protocol/examples.contract.js';
import { complete } from '../topology/generators.js';
import { traceText } from '../trace/trace.js';
import { VirtualClock } from './clock.js';
import type { SimulationOptions } from './options.js';
import { simulate } from './simulate.js';
import { oneShot } from './workload.js';

class Notes implements Receiver<string> {
  readonly lines: string[] = [];

  constructor(private readonly clock: VirtualClock) {}

  arrive(item: string): void {
    this.lines.push(`${this.clock.now()} ${item}`);
  }
}

/** The simplest clock: one list, sorted again for each call. */
class SlowClock {
  #now = 0;
  #calls: { readonly time: number; readonly run: () => void }[] = [];

  now = () => this.#now;

  get pending(): number {
    return this.#calls.length;
  }

  setTimeout(run: () => void, ahead: number): unknown {
    const call = { time: this.#now + ahead, run };
    this.#calls.push(call);
    return call;
  }

  clearTimeout(handle: unknown): void {
    this.#calls = this.#calls.filter((call) => call !== handle);
  }

  run(): void {
    for (;;) {
      const [next] = [...this.#calls].sort((a, b) => a.time - b.time); // a stable sort
      if (!next) return;
      this.clearTimeout(next);
      this.#now = next.time;
      next.run();
    }
  }
}

/** One call: how many milliseconds ahead, which other it cancels, how many it schedules in turn. */
const call = fc.record({
  ahead: fc.nat(9),
  cancels: fc.option(fc.nat(30), { nil: undefined }),
  schedules: fc.nat(3),
});

/** Makes the calls of a script, each with its part of it; returns the calls with their times. */
function play(
  script: readonly { ahead: number; cancels: number | undefined; schedules: number }[],
  clock: SlowClock | VirtualClock,
): string[] {
  const log: string[] = [];
  const handles: unknown[] = [];
  const scheduleNext = () => {
    const name = handles.length;
    const { ahead, cancels, schedules } = script[name] ?? {};
    if (ahead === undefined) return;
    const run = () => {
      log.push(`${clock.now()} ${name} ${clock.pending}`);
      if (cancels !== undefined) clock.clearTimeout(handles[cancels]);
      for (let count = 0; count < (schedules ?? 0); count++) scheduleNext();
    };
    handles.push(clock.setTimeout(run, ahead));
  };
  for (let count = 0; count < 9; count++) scheduleNext();
  clock.run();
  return log;
}

describe('order', () => {
  it('is that of a list sorted again for each call, with calls that schedule and cancel others', () => {
    let calls = 0;
    fc.assert(
      fc.property(fc.array(call, { size: 'large' }), (script) => {
        const log = play(script, new VirtualClock());
        expect(log).toEqual(play(script, new SlowClock()));
        calls += log.length;
      }),
    );
    expect(calls).toBeGreaterThan(1000);
  });

  it('is that of a sort also for thousands of calls at once', () => {
    const times = fc.array(fc.oneof(fc.nat(50), fc.double({ min: 0, max: 100, noNaN: true })), {
      minLength: 500,
      maxLength: 2000,
    });
    assertRuns(
      fc.property(times, (times) => {
        const clock = new VirtualClock();
        const notes = new Notes(clock);
        for (const [index, time] of times.entries()) clock.deliverAt(time, notes, `${index}`);
        clock.run();
        const sorted = [...times.entries()]
          .sort(([, a], [, b]) => a - b)
          .map(([index, time]) => `${time} ${index}`);
        expect(notes.lines).toEqual(sorted);
      }),
      3,
      20,
    );
  });

  it('at one time is that of scheduling', () => {
    const clock = new VirtualClock();
    const notes = new Notes(clock);
    clock.setTimeout(() => notes.arrive('timeout'), 5);
    clock.deliverAt(5, notes, 'delivery');
    clock.schedule(() => notes.arrive('rxjs'), 5);
    clock.setTimeout(() => notes.arrive('timeout again'), 5);
    clock.run();
    expect(notes.lines).toEqual(['5 timeout', '5 delivery', '5 rxjs', '5 timeout again']);
  });
});

describe('the clock', () => {
  it('moves only with its calls, up to the given time', () => {
    const clock = new VirtualClock();
    const notes = new Notes(clock);
    for (const time of [10, 20, 30]) clock.deliverAt(time, notes, 'x');
    expect([clock.now(), clock.pending]).toEqual([0, 3]);
    expect(clock.step()).toBe(true);
    expect([clock.now(), clock.pending]).toEqual([10, 2]);
    expect(clock.step(15)).toBe(false);
    expect([clock.now(), clock.pending]).toEqual([15, 2]);
    expect(clock.step(5)).toBe(false);
    expect(clock.now()).toBe(15);
    clock.run(20);
    expect([clock.now(), clock.pending]).toEqual([20, 1]);
    clock.run();
    expect([clock.now(), clock.pending, clock.step()]).toEqual([30, 0, false]);
    expect(notes.lines).toHaveLength(3);
  });

  it('refuses the past and invalid times', () => {
    const clock = new VirtualClock();
    clock.run(50);
    for (const time of [49.9, NaN])
      expect(() => clock.deliverAt(time, new Notes(clock), 'x')).toThrow(
        expect.objectContaining({
          code: 'bad-input',
          message: `The clock is at 50 ms; it cannot call back at ${time} ms`,
        }),
      );
    expect(() => clock.setTimeout(() => {}, NaN)).toThrow('it cannot call back at NaN ms');
    expect(clock.pending).toBe(0);
  });

  it('treats a negative delay as zero', () => {
    const clock = new VirtualClock();
    const notes = new Notes(clock);
    clock.run(5);
    clock.setTimeout(() => notes.arrive('now'), -3);
    clock.run();
    expect(notes.lines).toEqual(['5 now']);
  });

  it('drops a cancelled call, once', () => {
    const clock = new VirtualClock();
    const notes = new Notes(clock);
    const cancelled = clock.setTimeout(() => notes.arrive('cancelled'), 1);
    const kept = clock.setTimeout(() => notes.arrive('kept'), 2);
    clock.clearTimeout(cancelled);
    clock.clearTimeout(cancelled);
    clock.clearTimeout('no handle of this clock');
    expect(clock.pending).toBe(1);
    clock.run();
    clock.clearTimeout(kept);
    expect([notes.lines, clock.pending, clock.now()]).toEqual([['2 kept'], 0, 2]);
  });

  it('does not wait for cancelled calls', () => {
    const clock = new VirtualClock();
    clock.clearTimeout(clock.setTimeout(() => {}, 100));
    expect(clock.step()).toBe(false);
    expect(clock.now()).toBe(0);
  });

  it('throws errors and continues after them', () => {
    const clock = new VirtualClock();
    const notes = new Notes(clock);
    clock.setTimeout(() => {
      throw new Error('boom');
    }, 1);
    clock.deliverAt(2, notes, 'after');
    expect(() => clock.run()).toThrow('boom');
    clock.run();
    expect(notes.lines).toEqual(['2 after']);
  });

  it('lists the pending deliveries to receivers of a class', () => {
    const clock = new VirtualClock();
    const [one, two] = [new Notes(clock), new Notes(clock)];
    clock.deliverAt(3, one, 'x');
    clock.deliverAt(1, two, 'y');
    clock.setTimeout(() => {}, 2);
    const found = () =>
      [...clock.awaiting<string>(Notes)]
        .map(([receiver, item]) => [receiver === one ? 'one' : 'two', item])
        .sort();
    expect(found()).toEqual([
      ['one', 'x'],
      ['two', 'y'],
    ]);
    clock.step();
    expect(found()).toEqual([['one', 'x']]);
  });
});

describe('RxJS on the clock', () => {
  it('keeps virtual time: timer, interval, delay, debounceTime, throttleTime', () => {
    const clock = new VirtualClock();
    const notes = new Notes(clock);
    const note = (name: string) => (value: unknown) => notes.arrive(`${name} ${String(value)}`);
    timer(5, 7, clock).pipe(take(3)).subscribe(note('timer'));
    interval(10, clock).pipe(take(2)).subscribe(note('interval'));
    of('late').pipe(delay(8, clock)).subscribe(note('delay'));
    const keys$ = new Subject<string>();
    keys$.pipe(debounceTime(4, clock)).subscribe(note('debounced'));
    keys$.pipe(throttleTime(4, clock)).subscribe(note('throttled'));
    for (const time of [1, 2, 3, 20]) clock.setTimeout(() => keys$.next(`key ${time}`), time);
    clock.run();
    expect(notes.lines).toEqual([
      '1 throttled key 1',
      '5 timer 0',
      '7 debounced key 3',
      '8 delay late',
      '10 interval 0',
      '12 timer 1',
      '19 timer 2',
      '20 throttled key 20',
      '20 interval 1',
      '24 debounced key 20',
    ]);
    expect(clock.pending).toBe(0);
  });

  it('cancels unsubscribed work', () => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    const subscription = interval(10, clock)
      .pipe(map((n) => n + 1))
      .subscribe((n) => seen.push(n));
    clock.run(25);
    subscription.unsubscribe();
    expect(clock.pending).toBe(0);
    clock.run();
    expect([seen, clock.now()]).toEqual([[1, 2], 25]);
  });

  it('passes the given state to its work, and does not run an action that was closed', () => {
    const clock = new VirtualClock();
    const seen: unknown[] = [];
    clock.schedule<number>(
      function (n = 0) {
        seen.push([clock.now(), n]);
        if (n < 3) this.schedule(n + 1, 10);
      },
      5,
      1,
    );
    const closed = clock.schedule(() => seen.push('closed'), 1);
    closed.unsubscribe();
    clock.run();
    expect(seen).toEqual([
      [5, 1],
      [15, 2],
      [25, 3],
    ]);
  });
});

it('XState on the clock makes every delayed transition of a chain at its own time', () => {
  const clock = new VirtualClock();
  const machine = createMachine({
    initial: 'a',
    states: {
      a: { after: { 10: 'b', 50: 'd' } },
      b: { after: { 5: 'c' } },
      c: { after: { 0: 'd' } },
      d: { type: 'final' },
    },
  });
  const actor = createActor(machine, { clock });
  const seen: unknown[] = [];
  actor.subscribe(({ value }) => seen.push([clock.now(), value]));
  actor.start();
  clock.run();
  expect(seen).toEqual([
    [0, 'a'],
    [10, 'b'],
    [15, 'c'],
    [15, 'd'],
  ]);
});

// Nodes whose clocks drift: how long their timers take, the same on both hosts.

const options: SimulationOptions = {
  protocol: { ...calls, channels: { ...calls.channels, loss: true } },
  topology: complete(4),
  workload: oneShot({ type: 'call' }),
  conditions: { loss: 1 },
  record: true,
};
const linesOf = (more: Partial<SimulationOptions>) =>
  simulate({ ...options, ...more }).trace?.lines ?? [];

/** By node: how long its first timer and its second one took; each is armed for 10 ms. */
function durations(more: Partial<SimulationOptions>): readonly (readonly number[])[] {
  const lines = linesOf(more);
  return ['a', 'b', 'c', 'd'].map((id) => {
    const times = lines.flatMap(({ node, time = NaN, event }) =>
      node === id && ['command', 'timeout'].includes(event.kind) ? [time] : [],
    );
    return times.slice(1).map((time, index) => time - (times[index] ?? NaN));
  });
}

describe('the timers of nodes', () => {
  it('take exactly their time without drift', () => {
    expect(durations({})).toEqual([1, 2, 3, 4].map(() => [10, 10]));
    expect(linesOf({ drift: 0 })).toEqual(linesOf({}));
  });

  it('take as much longer or shorter as the clock of their node drifts, within the bound, by the seed', () => {
    const factors = [1, 2, 3, 4, 5].flatMap((seed) =>
      durations({ drift: 0.2, seed }).map(([first = NaN, second = NaN]) => {
        expect(second).toBeCloseTo(first, 9);
        return first / 10;
      }),
    );
    expect(new Set(factors).size).toBe(20);
    expect(Math.min(...factors)).toBeGreaterThanOrEqual(0.8);
    expect(Math.min(...factors)).toBeLessThan(0.87);
    expect(Math.max(...factors)).toBeLessThanOrEqual(1.2);
    expect(Math.max(...factors)).toBeGreaterThan(1.13);
    expect(durations({ drift: 0.2, seed: 3 })).toEqual(durations({ drift: 0.2, seed: 3 }));
  });

  it('are the same on both hosts, also after a restart', () => {
    for (const seed of [1, 2, 3]) {
      const run = (host: 'compiled' | 'actors') =>
        simulate({
          ...options,
          seed,
          drift: 0.3,
          conditions: { loss: 0.5 },
          faults: [{ kind: 'crash', node: 'b', at: 5, restartAfter: 3 }],
          host,
        });
      const [compiled, actors] = [run('compiled').trace, run('actors').trace];
      expect(compiled && traceText(compiled)).toBe(actors && traceText(actors));
    }
  });

  it('change no draw of the channels', () => {
    const first = (drift: number) =>
      linesOf({
        drift,
        seed: 4,
        conditions: { loss: 0.5, delay: { kind: 'uniform', least: 1, most: 3 } },
      });
    const early = (drift: number) => first(drift).filter(({ time = 0 }) => time < 3);
    expect(early(0.1)).toEqual(early(0));
  });

  it.each([-0.1, 1, NaN])('refuses a drift of %s', (drift) => {
    expect(() => simulate({ ...options, drift })).toThrow(
      `simulate: drift is ${drift}. Give a number from 0 to below 1, in whole millionths.`,
    );
  });
});
