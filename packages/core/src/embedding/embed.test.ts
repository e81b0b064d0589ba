import { setTimeout as sleep } from 'node:timers/promises';
import type { Observable } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { complete } from '../topology/generators.js';
import { ball, embedAlone, embedPair, refusal } from './ball.contract.js';
import { embed } from './embed.js';
import { memoryNetwork } from './memory.js';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('an embedded node', () => {
  it('runs its protocol with the others', async () => {
    const network = memoryNetwork(['a', 'b']);
    await using a = embed(ball, { self: 'a', peers: ['b'], transport: network.transport('a') });
    await using b = embed(ball, {
      self: 'b',
      topology: complete(['a', 'b']),
      transport: network.transport('b'),
    });
    const caught: unknown[] = [];
    b.notifications$.subscribe((notification) => caught.push(notification));

    expect([a.id, a.state.value, b.state.value]).toEqual(['a', 'with', 'without']);
    a.send({ type: 'throw' });
    expect([a.state.value, b.state.value]).toEqual(['without', 'without']);
    await sleep(0);
    expect(b.state).toMatchObject({
      value: 'with',
      context: { throws: 1 },
      tags: new Set(['critical']),
    });
    expect(caught).toEqual([{ type: 'caught', throws: 1 }]);
  });

  it('replays the current state, then emits each new one', () => {
    const { network, a, b } = embedPair();
    a.send({ type: 'throw' });
    const values: unknown[] = [];
    b.state$.subscribe(({ value }) => values.push(value));
    network.deliver('a', 'b');
    b.send({ type: 'throw' });
    expect(values).toEqual(['without', 'with', 'without']);
  });

  it('does not repeat a state that a step does not change', async () => {
    const { a } = embedAlone({ choose: () => 'heads' });
    await sleep(0);
    const coins: unknown[] = [];
    a.state$.subscribe(({ context }) => coins.push(context.coin));
    a.send({ type: 'toss' }); // changes nothing; the answer does
    expect(coins).toEqual([null, 'heads']);
  });

  it('notifies all observers in the same order, also when one of them acts immediately', () => {
    const { network, a, b } = embedPair();
    a.send({ type: 'throw' });
    b.state$.subscribe(({ value }) => {
      if (value === 'with') b.send({ type: 'throw' });
    });
    const values: unknown[] = [];
    b.state$.subscribe(({ value }) => values.push(value));
    network.deliver('a', 'b');
    expect(values).toEqual(['without', 'with', 'without']);
    expect(network.channel('b', 'a')).toEqual([{ type: 'ball', throws: 2 }]);
  });

  it('does not lose messages that it sends at its start', async () => {
    const { a } = embedAlone();
    const told: unknown[] = [];
    a.notifications$.subscribe((notification) => told.push(notification));
    expect(told).toEqual([]);
    await sleep(0);
    expect(told).toEqual([{ type: 'caught', throws: 0 }]);
  });

  it('does not lose messages that arrive before it exists', async () => {
    const network = memoryNetwork(['a', 'b']);
    const a = embed(ball, { self: 'a', peers: ['b'], transport: network.transport('a') });
    const late = network.transport('b');
    a.send({ type: 'throw' });
    await sleep(0);
    const b = embed(ball, { self: 'b', peers: ['a'], transport: late });
    expect(b.state.value).toBe('with');
  });

  it('uses the given clock', () => {
    const { network, a } = embedPair();
    a.send({ type: 'nap' });
    expect(network.timers('a')).toEqual(['xstate.after.1000.ball.napping']);
    network.fire('a', 'xstate.after.1000.ball.napping');
    expect(a.state.value).toBe('with');
    expect(network.timers('a')).toEqual([]);
  });

  it('uses real time without a clock', () => {
    vi.useFakeTimers();
    const { a } = embedAlone();
    a.send({ type: 'nap' });
    vi.advanceTimersByTime(999);
    expect(a.state.value).toBe('napping');
    vi.advanceTimersByTime(1);
    expect(a.state.value).toBe('with');
  });

  it('uses the given choice function, or chooses at random', () => {
    const { a } = embedAlone({ choose: (options) => options[1] ?? null });
    a.send({ type: 'toss' });
    expect(a.state.context.coin).toBe('tails');

    vi.spyOn(Math, 'random').mockReturnValue(0.49);
    const other = embedAlone().a;
    other.send({ type: 'toss' });
    expect(other.state.context.coin).toBe('heads');
  });

  it('lists the commands that its state accepts', () => {
    const { a } = embedAlone();
    expect(a.takes({ type: 'throw' })).toBe(true);
    a.send({ type: 'throw' });
    expect(a.takes({ type: 'throw' })).toBe(false);
  });

  it('closes: clears its timers, closes its transport, completes its observables', async () => {
    const { network, a, b } = embedPair();
    a.send({ type: 'nap' });
    let completed = 0;
    const all: Observable<unknown>[] = [a.state$, a.notifications$, a.errors$];
    for (const told$ of all) told$.subscribe({ complete: () => completed++ });
    const closed = a.close();
    expect(network.timers('a')).toEqual([]);
    expect(a.takes({ type: 'toss' })).toBe(false);
    await closed;
    await a.close();
    expect(completed).toBe(3);
    expect(a.state.value).toBe('napping');
    expect(refusal(() => a.send({ type: 'toss' }))).toMatchObject({
      code: 'closed',
      message: "Node a is closed; it takes no 'toss'",
    });
    expect(b.state.value).toBe('without');
  });
});
