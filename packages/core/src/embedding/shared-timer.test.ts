import { expect, test } from 'vitest';
import { SharedTimer } from './wall-clock.js';

/** A clock whose timers fire when they are told to, and which counts them. */
function handClock() {
  const armed = new Map<number, { readonly due: number; readonly fire: () => void }>();
  let time = 0;
  let made = 0;
  return {
    now: () => time,
    setTimeout: (fire: () => void, delay: number) => {
      armed.set(++made, { due: time + delay, fire });
      return made;
    },
    clearTimeout: (handle: unknown) => {
      armed.delete(Number(handle));
    },
    made: () => made,
    armed: () => armed.size,
    /** @param early by how much its timers fire before they are due */
    passTo: (end: number, early = 0) => {
      for (;;) {
        const next = [...armed].sort((one, other) => one[1].due - other[1].due)[0];
        if (!next || next[1].due - early > end) break;
        time = Math.max(time, next[1].due - early);
        armed.delete(next[0]);
        next[1].fire();
      }
      time = end;
    },
  };
}

test('fires each timer when it is due, the earliest first, and those that are cleared never', () => {
  const clock = handClock();
  const shared = new SharedTimer(clock);
  const fired: string[] = [];
  const after = (delay: number, name = `${delay}`) =>
    shared.setTimeout(() => fired.push(`${name} at ${clock.now()}`), delay);
  after(30);
  const cleared = after(20);
  after(10);
  shared.clearTimeout(cleared);
  clock.passTo(100);
  expect(fired).toEqual(['10 at 10', '30 at 30']);
  expect(clock.armed()).toBe(0);
});

test('a lease that begins anew again and again takes one timer of the clock', () => {
  const clock = handClock();
  const shared = new SharedTimer(clock);
  let fired = 0;
  shared.setTimeout(() => fired++, 1000); // another, which runs on
  const once = clock.made();
  for (let time = 1; time <= 50; time++) {
    clock.passTo(time);
    shared.clearTimeout(shared.setTimeout(() => fired++, 1000));
  }
  expect(clock.made()).toBe(once);
  clock.passTo(1000);
  expect(fired).toBe(1);
});

test('fires none before it is due, although the clock is early', () => {
  const clock = handClock();
  const shared = new SharedTimer(clock);
  const fired: number[] = [];
  shared.setTimeout(() => fired.push(clock.now()), 10);
  clock.passTo(9.5, 0.5);
  expect(fired).toEqual([]);
  clock.passTo(20);
  expect(fired).toHaveLength(1);
  expect(fired[0]).toBeGreaterThanOrEqual(10);
});

test('a timer that throws leaves the others armed', () => {
  const clock = handClock();
  const shared = new SharedTimer(clock);
  let fired = 0;
  shared.setTimeout(() => {
    throw new Error('of the program');
  }, 10);
  shared.setTimeout(() => fired++, 10);
  expect(() => clock.passTo(10)).toThrow('of the program');
  clock.passTo(20);
  expect(fired).toBe(1);
});

test('where nothing is due, the program may end', () => {
  const clock = handClock();
  const shared = new SharedTimer(clock);
  shared.clearTimeout(shared.setTimeout(() => {}, 1000));
  expect(clock.armed()).toBe(0);
  const handle = { refs: 1, ref: () => handle.refs++, unref: () => handle.refs-- };
  const node = new SharedTimer({ ...clock, setTimeout: () => handle });
  node.clearTimeout(node.setTimeout(() => {}, 1000));
  expect(handle.refs).toBe(0);
  node.setTimeout(() => {}, 2000);
  expect(handle.refs).toBe(1);
});
