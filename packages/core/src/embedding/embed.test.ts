import { setTimeout as sleep } from 'node:timers/promises';
import { type Observable, of, Subject, throwError } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ConclaveError } from '../base/error.js';
import { chain, complete } from '../topology/generators.js';
import {
  type BallCommand,
  ball,
  ballOver,
  bare,
  embedAlone,
  embedPair,
  refusal,
} from './ball.contract.js';
import { embed } from './embed.js';
import type { EmbedOptions } from './embedded.js';
import { memoryNetwork } from './memory.js';
import { NetworkTransport } from './network-transport.js';
import { reliable } from './reliable.js';
import type { Incoming, Transport } from './transport.js';

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

describe('embed refuses', () => {
  it.each([
    [{ order: 'any', loss: false, duplication: false }, 'reorder'],
    [{ order: 'fifo', loss: true, duplication: false }, 'lose'],
    [{ order: 'fifo', loss: false, duplication: true }, 'duplicate'],
    [{ order: 'any', loss: true, duplication: true }, 'reorder or lose or duplicate'],
  ] as const)('a transport that guarantees less than is assumed: %o', (guarantees, missing) => {
    const strict = ballOver({ order: 'fifo', loss: false, duplication: false });
    const transport = bare(new Subject(), { guarantees });
    expect(refusal(() => embed(strict, { self: 'a', peers: ['b'], transport }))).toMatchObject({
      code: 'assumption',
      message: `Ball game assumes channels that never ${missing} messages, but the transport may. Wrap it: reliable(transport), from @conclave/core/embedding.`,
    });
    const lenient = ballOver({ order: 'any', loss: true, duplication: true });
    expect(
      embed(lenient, { self: 'a', peers: ['b'], transport, onError: () => {} }).state.value,
    ).toBe('with');
  });

  it('a network that is missing, does not fit, or does not contain the node', () => {
    const transport = bare(new Subject());
    // as JavaScript may call it
    const missing = { self: 'a', transport } as unknown as EmbedOptions;
    expect(refusal(() => embed(ball, missing)).message).toBe(
      'Node a has no network. Give peers: the ids of the other nodes; or nodes: those of all; or a topology.',
    );
    expect(
      refusal(() => embed(ball, { self: 'a', topology: complete(['b', 'c']), transport })).message,
    ).toBe('Node a is none of the nodes b, c. Give it the name of one of them.');
    expect(refusal(() => embed(ball, { self: 'a', topology: chain(3), transport }))).toMatchObject({
      code: 'bad-topology',
      message: expect.stringContaining('Ball game needs a complete network'),
    });
  });

  it.each([
    [['b'], [], 'c'],
    [[], [], 'b, c'],
    [['b', 'x'], [], 'c'],
    [['b'], [reliable], 'c'],
  ] as const)('a transport whose peers miss a node: %j', (peers, layers, missing) => {
    const network = { self: 'a', peers, network: 'shop' };
    const guarantees = { order: 'any', loss: true, duplication: true } as const;
    const mayRestart = { ...guarantees, restarts: true };
    const medium = { guarantees: mayRestart, send: () => {}, close: async () => {} };
    const transport = layers.reduce<Transport>(
      (below, layer) => layer(below),
      new NetworkTransport(network, medium),
    );
    const lossy = ballOver(guarantees);
    expect(
      refusal(() => embed(lossy, { self: 'a', nodes: ['a', 'b', 'c'], transport })),
    ).toMatchObject({
      code: 'bad-input',
      message: `The transport of node a has no peer ${missing}: its peers are ${peers.join(', ') || 'none'}. Name all other nodes as peers of the transport.`,
    });
  });

  it("another node's transport", () => {
    expect(
      refusal(() => embed(ball, { self: 'b', peers: ['a'], transport: bare(new Subject()) }))
        .message,
    ).toBe('Node b is given the transport of node a');
  });
});

describe('a command is refused', () => {
  it('when the state does not handle it', () => {
    const { a } = embedAlone();
    a.send({ type: 'throw' });
    expect(refusal(() => a.send({ type: 'throw' }))).toMatchObject({
      code: 'unhandled',
      message:
        "Node a in 'without' does not take the command 'throw'. Wait for a state that does: see takes(command) and state$.",
    });
  });

  it.each([
    ["'pass', which is none of throw, toss, nap, stray, burst, name", { type: 'pass' }],
    ["'ball', which is none of throw, toss, nap, stray, burst, name", { type: 'ball', throws: 1 }],
    ["'name' without its field 'name'", { type: 'name' }],
    ["'throw' with a field 'hard', which is not declared", { type: 'throw', hard: true }],
    [
      "'name' whose name (an instance of Date) is not plain data",
      { type: 'name', name: new Date(0) },
    ],
  ])('when it is not a command: %s', (what, command) => {
    const { a } = embedAlone();
    expect(refusal(() => a.send(command as BallCommand))).toMatchObject({
      code: 'bad-input',
      message: `Node a got the command ${what}`,
    });
  });
});

describe('an error outside the application does not stop it', () => {
  const circle: Record<string, unknown> = { type: 'ball' };
  circle.throws = circle;
  const cure = 'Do both run ball, in the same version?';

  it.each([
    ['bad-input', `Node a got from b something that is not an object with a type. ${cure}`, 7],
    ['bad-input', `Node a got from b something that is not an object with a type. ${cure}`, null],
    [
      'bad-input',
      `Node a got from b something that is not an object with a type. ${cure}`,
      { type: 7 },
    ],
    ['bad-input', `Node a got from b 'bill', which is none of ball. ${cure}`, { type: 'bill' }],
    [
      'bad-input',
      `Node a got from b 'constructor', which is none of ball. ${cure}`,
      { type: 'constructor' },
    ],
    ['bad-input', `Node a got from b 'throw', which is none of ball. ${cure}`, { type: 'throw' }],
    ['bad-input', `Node a got from b 'ball' without its field 'throws'. ${cure}`, { type: 'ball' }],
    [
      'bad-input',
      `Node a got from b 'ball' with a field 'from', which is not declared. ${cure}`,
      { type: 'ball', throws: 1, from: 'c' },
    ],
    [
      'bad-input',
      `Node a got from b 'ball' whose throws (NaN) is not plain data. ${cure}`,
      { type: 'ball', throws: Number.NaN },
    ],
    [
      'bad-input',
      `Node a got from b 'ball' whose throws.throws.throws.throws.throws.throws.throws.throws.thro… (nested more than 200 deep, or holding itself) is not plain data. ${cure}`,
      circle,
    ],
    [
      'unhandled',
      "Node a in 'with' does not handle 'ball' (from b). List it under on, or ignore it with ball: {}.",
      { type: 'ball', throws: 1 },
    ],
  ])('a message: %s, %s', async (code, text, message) => {
    const { a, wire, errors } = embedAlone();
    await sleep(0);
    wire.next({ from: 'b', message });
    expect(errors).toMatchObject([{ code, message: text }]);
    expect(a.state.value).toBe('with');
    a.send({ type: 'throw' });
    expect(a.state.value).toBe('without');
  });

  it.each(['c', 'a'])('a sender that is not a neighbour: %s', async (from) => {
    const { wire, errors } = embedAlone();
    await sleep(0);
    wire.next({ from, message: { type: 'ball', throws: 1 } });
    expect(errors.map(({ message }) => message)).toEqual([
      `Node a got a message from '${from}', which has no channel to it in 'complete:a,b'`,
    ]);
  });

  it('emits by errors$ while it has a subscriber, otherwise by onError, by default a line', () => {
    const said = vi.spyOn(console, 'error').mockReturnValue();
    const wire = new Subject<Incoming>();
    const a = embed(ball, { self: 'a', peers: ['b'], transport: bare(wire) });
    return sleep(0).then(() => {
      wire.next({ from: 'b', message: 1 });
      expect(said.mock.calls).toEqual([
        [expect.stringMatching(/^ConclaveError \(bad-input\): Node a got .*\?$/)], // no stack
      ]);
      const errors: ConclaveError[] = [];
      a.errors$.subscribe((error) => errors.push(error));
      wire.next({ from: 'c', message: 2 });
      expect(said).toHaveBeenCalledTimes(1);
      expect(errors).toHaveLength(1);
    });
  });

  it('a flood of messages that it cannot take: the first of a peer is reported, the tenth and so on', async () => {
    const { wire, errors } = embedAlone();
    await sleep(0);
    for (let n = 1; n <= 12_000; n++) wire.next({ from: 'b', message: { type: `rubbish ${n}` } });
    wire.next({ from: 'c', message: { type: 'ball', throws: 1 } });
    for (let n = 1; n <= 12; n++) wire.next({ from: 'b', message: { type: 'ball', throws: n } });
    const got = (n: number) => `Node a got from b 'rubbish ${n}', which is none of ball`;
    const unhandled = "Node a in 'with' does not handle 'ball' (from b)";
    const times = [10, 100, 1000, 10_000];
    expect(errors.map(({ code, what }) => `${code}: ${what}`)).toEqual([
      `bad-input: ${got(1)}`,
      ...times.map((n) => `bad-input: ${got(n)} (the ${n}th of its kind)`),
      "bad-input: Node a got a message from 'c', which has no channel to it in 'complete:a,b'",
      `unhandled: ${unhandled}`,
      `unhandled: ${unhandled} (the 10th of its kind)`,
    ]);
  });

  it('a flood under ever new names does not fill the memory: the counts begin anew', async () => {
    const { wire, errors } = embedAlone();
    await sleep(0);
    for (let n = 0; n < 1500; n++) wire.next({ from: `c${n}`, message: 'rubbish' });
    for (let n = 0; n < 9; n++) wire.next({ from: 'c0', message: 'rubbish' });
    expect(errors).toHaveLength(1501);
  });

  it('messages that cannot be sent: the first to a peer is reported, the tenth and so on', async () => {
    const errors: ConclaveError[] = [];
    const transport = bare(new Subject(), {
      guarantees: { order: 'fifo', loss: true, duplication: false },
      send: () => {
        throw new ConclaveError('bad-input', 'It is too large', 'Raise maxBytes.');
      },
    });
    const lossy = ballOver({ order: 'any', loss: true, duplication: false });
    const wire = new Subject<Incoming>();
    const a = embed(lossy, {
      self: 'a',
      peers: ['b'],
      transport: { ...transport, received$: wire },
      onError: (error) => errors.push(error),
    });
    await sleep(0);
    for (let n = 1; n <= 25; n++) {
      a.send({ type: 'throw' });
      wire.next({ from: 'b', message: { type: 'ball', throws: n } });
    }
    const text = "Node a cannot send 'ball' to b: It is too large. Raise maxBytes.";
    expect(errors.map(({ code, message }) => [code, message])).toEqual([
      ['bad-input', text],
      ['bad-input', `${text} (the 10th of its kind)`],
    ]);
  });

  it('does not lose an error during the start', async () => {
    const errors: ConclaveError[] = [];
    const a = embed(ball, {
      self: 'a',
      peers: ['b'],
      transport: bare(of({ from: 'b', message: 'rubbish' })),
    });
    a.errors$.subscribe((error) => errors.push(error));
    await sleep(0);
    expect(errors).toHaveLength(1);
  });

  it('a transport that cannot send, or fails', async () => {
    const errors: ConclaveError[] = [];
    const transport = bare(
      throwError(() => new Error('unplugged')),
      {
        guarantees: { order: 'fifo', loss: true, duplication: false },
        errors$: of(new ConclaveError('bad-input', 'Noise on the line')),
        send: () => {
          throw new Error('no carrier');
        },
      },
    );
    const lossy = ballOver({ order: 'any', loss: true, duplication: false });
    const a = embed(lossy, {
      self: 'a',
      peers: ['b'],
      transport,
      onError: (error) => errors.push(error),
    });
    a.send({ type: 'throw' });
    await sleep(0);
    expect(errors.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'bad-input: Noise on the line',
      'bad-input: Node a: unplugged',
      "unavailable: Node a cannot send 'ball' to b: no carrier",
    ]);
    expect(a.state.value).toBe('without');
  });
});

describe('a node stops when its machine breaks the node contract', () => {
  it('in a command, which throws', async () => {
    for (const [command, text] of [
      [
        'stray',
        "Node a sends 'ball' to nowhere, to which it has no channel in 'complete:a,b'. It was in 'with' when it was told 'stray'",
      ],
      ['burst', "Node a failed: the ball has burst. It was in 'with' when it was told 'burst'"],
    ] as const) {
      const { a } = embedAlone();
      let completed = false;
      a.state$.subscribe({ complete: () => (completed = true) });
      expect(refusal(() => a.send({ type: command }))).toMatchObject({
        code: 'bad-protocol',
        message: text,
      });
      await sleep(0);
      expect(completed).toBe(true);
      expect(refusal(() => a.send({ type: 'toss' })).code).toBe('closed');
    }
  });

  it('although its transport cannot be closed', async () => {
    const { a, errors } = embedAlone({
      transport: bare(new Subject(), { close: () => Promise.reject(new Error('stuck')) }),
    });
    expect(refusal(() => a.send({ type: 'burst' })).code).toBe('bad-protocol');
    await sleep(0);
    expect(errors.map(({ message }) => message)).toEqual(['Node a: stuck']);
  });

  it('in a reaction to a message: reports the error, then completes', async () => {
    const { a, wire } = embedAlone();
    a.send({ type: 'throw' });
    await sleep(0);
    const told: string[] = [];
    a.errors$.subscribe({
      next: ({ code, message }) => told.push(`${code}: ${message}`),
      complete: () => told.push('the end'),
    });
    wire.next({ from: 'b', message: { type: 'ball', throws: -1 } });
    expect(told).toEqual([
      "bad-protocol: Node a failed: less than no throws. It was in 'without' when it got 'ball' from b",
      'the end',
    ]);
    expect(wire.observed).toBe(false);
  });
});
