/** What an embedded node must not survive, and what must not disturb it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Subject } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { setup } from 'xstate';
import { tiny } from '../protocol/examples.contract.js';
import { type Effect, send } from '../protocol/node.js';
import { bare, embedAlone, refusal } from './ball.contract.js';
import { embed } from './embed.js';
import type { Transport } from './transport.js';

afterEach(() => {
  vi.useRealTimers();
});

/** A clock whose timers never fire by themselves, as in an event loop that was paused. */
function pausedClock() {
  const clock = {
    time: 0,
    now: () => clock.time,
    setTimeout: (fire: () => void) => fire,
    clearTimeout: () => {},
  };
  return clock;
}

describe('after a pause of the process', () => {
  it('timers that are late fire before a message is taken', async () => {
    const clock = pausedClock();
    const { a, wire, errors } = embedAlone({ clock });
    await sleep(0);
    a.send({ type: 'nap' });
    const states: unknown[] = [];
    a.state$.subscribe(({ value }) => states.push(value));
    expect([...a.timers.values()]).toEqual([1000]);
    clock.time = 1500;
    expect([...a.timers.values()]).toEqual([-500]);
    wire.next({ from: 'b', message: { type: 'ball', throws: 1 } });
    expect(states).toEqual(['napping', 'with']);
    expect(errors.map(({ what }) => what)).toEqual([
      "Node a in 'with' does not handle 'ball' (from b)",
    ]);
  });

  it('they fire before a command is taken, and by settle', async () => {
    const clock = pausedClock();
    const { a } = embedAlone({ clock });
    await sleep(0);
    a.send({ type: 'nap' });
    a.settle();
    expect(a.state.value).toBe('napping');
    clock.time = 1001;
    a.send({ type: 'throw' }); // napping does not take it
    expect(a.state.value).toBe('without');
    expect(a.timers.size).toBe(0);
  });
});

describe('a late timer that fires before a command', () => {
  it('is told after the command, so that an observer does not send it a second time', async () => {
    const clock = pausedClock();
    const machine = setup({ types: {} as { events: { type: 'go' } } }).createMachine({
      type: 'parallel',
      states: {
        client: { initial: 'idle', states: { idle: { on: { go: 'busy' } }, busy: {} } },
        voter: { initial: 'bound', states: { bound: { after: { 1000: 'free' } }, free: {} } },
      },
    });
    const protocol = tiny(machine, { commands: { go: { kind: 'optional', meaning: 'go' } } });
    const a = embed(protocol, { self: 'a', peers: ['b'], transport: bare(new Subject()), clock });
    await sleep(0);
    const states: unknown[] = [];
    a.state$.subscribe(({ value }) => {
      states.push(value);
      if (states.length > 1 && a.takes({ type: 'go' })) a.send({ type: 'go' });
    });
    clock.time = 1001;
    a.send({ type: 'go' });
    expect(states).toEqual([
      { client: 'idle', voter: 'bound' },
      { client: 'idle', voter: 'free' },
      { client: 'busy', voter: 'free' },
    ]);
  });
});

describe('a message that a transport without loss cannot send', () => {
  it('stops the node, which says so, after its other messages', async () => {
    const sent: string[] = [];
    const node = setup({
      types: {} as { events: { type: 'go' }; emitted: Effect<{ type: 'ping' }> },
    });
    const machine = node.createMachine({
      on: {
        go: {
          actions: [
            node.emit(() => send('b', { type: 'ping' })),
            node.emit(() => send('c', { type: 'ping' })),
          ],
        },
        ping: {},
      },
    });
    const protocol = tiny(machine, {
      messages: { ping: { meaning: 'ping' } },
      commands: { go: { kind: 'optional', meaning: 'go' } },
    });
    const transport = bare(new Subject(), {
      send: (to) => {
        if (to === 'b') throw new Error('no room');
        sent.push(to);
      },
    });
    const a = embed(protocol, { self: 'a', peers: ['b', 'c'], transport });
    expect(refusal(() => a.send({ type: 'go' }))).toMatchObject({
      code: 'closed',
      message: expect.stringContaining("Node a has stopped: it cannot send 'ping' to b: no room"),
    });
    expect(sent).toEqual(['c']);
    expect(refusal(() => a.send({ type: 'go' })).message).toBe(
      "Node a is closed; it takes no 'go'",
    );
  });
});

describe('a node that cannot start', () => {
  const node = setup({
    types: {} as { events: { type: 'ping' }; emitted: Effect<{ type: 'ping' }> },
  });
  const ping = node.emit(() => send('b', { type: 'ping' }));
  const machine = node.createMachine({
    initial: 'first',
    states: {
      first: { entry: ping, after: { 10: { target: 'second', actions: ping } } },
      second: {},
    },
    on: { ping: {} },
  });
  const protocol = tiny(machine, { messages: { ping: { meaning: 'ping' } } });
  /** Its first message cannot be sent. */
  const failing = (overrides: Partial<Transport> = {}) => {
    const tried: string[] = [];
    const transport = bare(new Subject(), {
      send: (to) => {
        tried.push(to);
        if (tried.length === 1) throw new Error('no room');
      },
      ...overrides,
    });
    return { tried, options: { self: 'a', peers: ['b'], transport, onError: () => {} } };
  };

  it('leaves no timer that runs on', () => {
    vi.useFakeTimers();
    const { tried, options } = failing();
    expect(refusal(() => embed(protocol, options)).what).toContain('no room');
    vi.advanceTimersByTime(100);
    expect(tried).toEqual(['b']);
  });

  it('says so where it was admitted', async () => {
    const a = embed(protocol, failing({ admitted: Promise.resolve() }).options);
    await expect(a.admitted).rejects.toMatchObject({
      code: 'closed',
      what: 'Node a could not start',
    });
  });

  it('is told when it is closed first, whatever its transport does', async () => {
    const { a } = embedAlone({
      transport: bare(new Subject(), { admitted: new Promise(() => {}) }),
    });
    const admitted = expect(a.admitted).rejects.toMatchObject({ code: 'closed' });
    await a.close();
    await admitted;
  });
});

it('an onError that throws keeps no observer from being told', async () => {
  vi.useFakeTimers();
  const { a, wire } = embedAlone({
    onError: () => {
      throw new Error('the log is full');
    },
  });
  await Promise.resolve();
  const states: unknown[] = [];
  a.state$.subscribe(({ value }) => {
    states.push(value);
    // its error is told before the next state
    if (value === 'without') wire.next({ from: 'b', message: 'rubbish' });
    if (value === 'without') wire.next({ from: 'b', message: { type: 'ball', throws: 1 } });
  });
  a.send({ type: 'throw' });
  expect(states).toEqual(['with', 'without', 'with']);
  expect(() => vi.runAllTimers()).toThrow('the log is full');
});
