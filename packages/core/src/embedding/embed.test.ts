import { setTimeout as sleep } from 'node:timers/promises';
import { type Observable, of, Subject, throwError } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { assertEvent, setup } from 'xstate';
import { ConclaveError } from '../protocol/error.js';
import { type Chosen, choose, type Effect, type Json, type NodeId, notify, type Received, send } from '../protocol/node.js';
import { type ChannelAssumptions, defineProtocol } from '../protocol/protocol.js';
import { chain, complete } from '../topology/generators.js';
import { needs } from '../topology/needs.js';
import { type EmbedOptions, embed } from './embed.js';
import { handStepped } from './hand-stepped.js';
import { memoryNetwork } from './memory.js';
import type { Incoming, Transport } from './transport.js';

/** Nodes that throw a ball to each other; one command for each thing a host must cope with. */
type BallMessage = { readonly type: 'ball'; readonly throws: number };
type BallCommand = { readonly type: 'throw' | 'toss' | 'nap' | 'stray' | 'burst' } | { readonly type: 'name'; readonly name: string };
type Caught = { readonly type: 'caught'; readonly throws: number };
interface BallInput {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
  readonly starts: boolean;
}

const node = setup({
  types: {} as {
    input: BallInput;
    context: BallInput & { readonly throws: number; readonly coin: Json; readonly name: string };
    events: BallCommand | Chosen | Received<BallMessage>;
    emitted: Effect<BallMessage, Caught>;
  },
});
const throwBall = node.emit(({ context }) => send(context.peers[0] ?? '', { type: 'ball', throws: context.throws + 1 }));
const catchBall = node.assign(({ event }) => {
  assertEvent(event, 'ball');
  if (event.throws < 0) throw new Error('less than no throws');
  return { throws: event.throws };
});
const tell = node.emit(({ context }) => notify<Caught>({ type: 'caught', throws: context.throws }));
const machine = node
  .extend({
    actions: {
      throwBall,
      catchBall,
      tell,
      toss: node.emit(() => choose('heads', 'tails')),
      noteCoin: node.assign(({ event }) => {
        assertEvent(event, 'chosen');
        return { coin: event.value };
      }),
      noteName: node.assign(({ event }) => {
        assertEvent(event, 'name');
        return { name: event.name };
      }),
      sendAstray: node.emit(() => send<BallMessage>('nowhere', { type: 'ball', throws: 0 })),
      burst: node.assign(() => {
        throw new Error('the ball has burst');
      }),
    },
    guards: { starts: ({ context }) => context.starts },
  })
  .createMachine({
    id: 'ball',
    context: ({ input }) => ({ ...input, throws: 0, coin: null, name: '' }),
    initial: 'arriving',
    on: {
      toss: { actions: 'toss' },
      chosen: { actions: 'noteCoin' },
      stray: { actions: 'sendAstray' },
      burst: { actions: 'burst' },
      name: { actions: 'noteName' },
    },
    states: {
      arriving: { always: [{ guard: 'starts', target: 'with' }, { target: 'without' }] },
      with: { tags: 'critical', entry: 'tell', on: { throw: { target: 'without', actions: 'throwBall' }, nap: 'napping' } },
      without: { on: { ball: { target: 'with', actions: 'catchBall' } } },
      napping: { after: { 1000: 'with' } },
    },
  });

const ballOver = (channels: ChannelAssumptions) =>
  defineProtocol<BallMessage, BallCommand>({
    name: 'ball',
    title: 'Ball game',
    problem: 'game',
    citation: 'a schoolyard',
    topology: needs.complete,
    channels,
    roles: {
      player: {
        machine,
        input: (self, { nodes }) => ({ self, peers: nodes.filter((id) => id !== self), starts: self === nodes[0] }),
      },
    },
    messages: { ball: { fields: ['throws'], meaning: 'the ball' } },
    commands: {
      throw: { kind: 'duty', meaning: 'throw the ball' },
      toss: { kind: 'wish', meaning: 'toss a coin' },
      nap: { kind: 'wish', meaning: 'sleep a second' },
      stray: { kind: 'wish', meaning: 'throw the ball away' },
      burst: { kind: 'wish', meaning: 'break the ball' },
      name: { kind: 'wish', fields: ['name'], meaning: 'take a name' },
    },
    properties: [],
  });
const ball = ballOver({ order: 'any', loss: false, duplication: false });

const silent = { self: 'a', guarantees: { order: 'fifo', loss: false, duplication: false } } as const;

/** A transport of node a whose wire is in the test's hands. */
function bare(received$: Transport['received$'], overrides: Partial<Transport> = {}): Transport {
  const close = async () => {};
  return { ...silent, received$, send: () => {}, close, [Symbol.asyncDispose]: close, ...overrides };
}

function embedAlone(overrides: Partial<EmbedOptions> = {}, wire = new Subject<Incoming>()) {
  const errors: ConclaveError[] = [];
  const a = embed(ball, {
    self: 'a',
    peers: ['b'],
    transport: bare(wire),
    onError: (error) => errors.push(error),
    ...overrides,
  } as EmbedOptions); // Partial loses which of the two surroundings is given
  return { a, wire, errors };
}

/** Two nodes on a network that moves by hand. */
function embedPair() {
  const network = handStepped(['a', 'b']);
  const [a, b] = (['a', 'b'] as const).map((self, index) =>
    embed(ball, { self, peers: [['b', 'a'][index] ?? ''], transport: network.transport(self), clock: network.clock(self) }),
  );
  if (!a || !b) throw new Error('unreachable: two were made');
  return { network, a, b };
}

const refusal = (attempt: () => unknown): ConclaveError => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ConclaveError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('an embedded node', () => {
  it('runs its protocol with the others', async () => {
    const network = memoryNetwork(['a', 'b']);
    await using a = embed(ball, { self: 'a', peers: ['b'], transport: network.transport('a') });
    await using b = embed(ball, { self: 'b', topology: complete(['a', 'b']), transport: network.transport('b') });
    const caught: unknown[] = [];
    b.notifications$.subscribe((notification) => caught.push(notification));

    expect([a.id, a.state.value, b.state.value]).toEqual(['a', 'with', 'without']);
    a.send({ type: 'throw' });
    expect([a.state.value, b.state.value]).toEqual(['without', 'without']);
    await sleep(0);
    expect(b.state).toMatchObject({ value: 'with', context: { throws: 1 }, tags: new Set(['critical']) });
    expect(caught).toEqual([{ type: 'caught', throws: 1 }]);
  });

  it('replays the current state, then tells each other one', () => {
    const { network, a, b } = embedPair();
    a.send({ type: 'throw' });
    const values: unknown[] = [];
    b.state$.subscribe(({ value }) => values.push(value));
    network.deliver('a', 'b');
    b.send({ type: 'throw' });
    expect(values).toEqual(['without', 'with', 'without']);
  });

  it('does not repeat a state that a step leaves as it is', async () => {
    const { a } = embedAlone({ choose: () => 'heads' });
    await sleep(0);
    const coins: unknown[] = [];
    a.state$.subscribe(({ context }) => coins.push(context.coin));
    a.send({ type: 'toss' }); // changes nothing; the answer does
    expect(coins).toEqual([null, 'heads']);
  });

  it('tells all observers the same order, also when one of them acts at once', () => {
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

  it('does not lose what it says at its start', async () => {
    const { a } = embedAlone();
    const told: unknown[] = [];
    a.notifications$.subscribe((notification) => told.push(notification));
    expect(told).toEqual([]);
    await sleep(0);
    expect(told).toEqual([{ type: 'caught', throws: 0 }]);
  });

  it('does not lose what arrives before it exists', async () => {
    const network = memoryNetwork(['a', 'b']);
    const a = embed(ball, { self: 'a', peers: ['b'], transport: network.transport('a') });
    const late = network.transport('b');
    a.send({ type: 'throw' });
    await sleep(0);
    const b = embed(ball, { self: 'b', peers: ['a'], transport: late });
    expect(b.state.value).toBe('with');
  });

  it('waits by the clock it is given', () => {
    const { network, a } = embedPair();
    a.send({ type: 'nap' });
    expect(network.timers('a')).toEqual(['xstate.after.1000.ball.napping']);
    network.fire('a', 'xstate.after.1000.ball.napping');
    expect(a.state.value).toBe('with');
    expect(network.timers('a')).toEqual([]);
  });

  it('waits by the time of day without one', () => {
    vi.useFakeTimers();
    const { a } = embedAlone();
    a.send({ type: 'nap' });
    vi.advanceTimersByTime(999);
    expect(a.state.value).toBe('napping');
    vi.advanceTimersByTime(1);
    expect(a.state.value).toBe('with');
  });

  it('takes the choice it is given, or any', () => {
    const { a } = embedAlone({ choose: (options) => options[1] ?? null });
    a.send({ type: 'toss' });
    expect(a.state.context.coin).toBe('tails');

    vi.spyOn(Math, 'random').mockReturnValue(0.49);
    const other = embedAlone().a;
    other.send({ type: 'toss' });
    expect(other.state.context.coin).toBe('heads');
  });

  it('says which commands its state takes', () => {
    const { a } = embedAlone();
    expect(a.takes({ type: 'throw' })).toBe(true);
    a.send({ type: 'throw' });
    expect(a.takes({ type: 'throw' })).toBe(false);
  });

  it('closes: clears its timers, closes its transport, completes what it tells', async () => {
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
      message: `Ball game assumes channels that never ${missing} messages, but the transport may. Wrap it: reliable(transport), from @conclave/core/channel.`,
    });
    const lenient = ballOver({ order: 'any', loss: true, duplication: true });
    expect(embed(lenient, { self: 'a', peers: ['b'], transport, onError: () => {} }).state.value).toBe('with');
  });

  it('a network that is not told, is not the right one, or does not hold the node', () => {
    const transport = bare(new Subject());
    const untold = { self: 'a', transport } as unknown as EmbedOptions; // as JavaScript may call it
    expect(refusal(() => embed(ball, untold)).message).toBe(
      'Node a is told no network. Give embed a topology, or peers: the ids of the other nodes.',
    );
    expect(refusal(() => embed(ball, { self: 'a', topology: complete(['b', 'c']), transport })).message).toBe(
      "Node a is not in the network 'complete:b,c'",
    );
    expect(refusal(() => embed(ball, { self: 'a', topology: chain(3), transport }))).toMatchObject({
      code: 'bad-topology',
      message: expect.stringContaining('Ball game needs a complete network'),
    });
  });

  it("another node's transport", () => {
    expect(refusal(() => embed(ball, { self: 'b', peers: ['a'], transport: bare(new Subject()) })).message).toBe(
      'Node b is given the transport of node a',
    );
  });
});

describe('a command is refused', () => {
  it('when the state does not take it', () => {
    const { a } = embedAlone();
    a.send({ type: 'throw' });
    expect(refusal(() => a.send({ type: 'throw' }))).toMatchObject({
      code: 'unhandled',
      message: "Node a in 'without' does not take the command 'throw'. Wait for a state that does: see takes(command) and state$.",
    });
  });

  it.each([
    ["'pass', which is none of throw, toss, nap, stray, burst, name", { type: 'pass' }],
    ["'ball', which is none of throw, toss, nap, stray, burst, name", { type: 'ball', throws: 1 }],
    ["'name' without its field 'name'", { type: 'name' }],
    ["'throw' with a field 'hard', which is not declared", { type: 'throw', hard: true }],
    ["'name' whose 'name' is not plain data", { type: 'name', name: new Date(0) }],
  ])('when it is no command: %s', (what, command) => {
    const { a } = embedAlone();
    expect(refusal(() => a.send(command as BallCommand))).toMatchObject({ code: 'bad-input', message: `Node a was told ${what}` });
  });
});

describe('what goes wrong in other hands does not stop the application', () => {
  const circle: Record<string, unknown> = { type: 'ball' };
  circle.throws = circle;
  const cure = 'Do both run ball, in the same version?';

  it.each([
    ['bad-input', `Node a got from b something that is not an object with a type. ${cure}`, 7],
    ['bad-input', `Node a got from b something that is not an object with a type. ${cure}`, null],
    ['bad-input', `Node a got from b something that is not an object with a type. ${cure}`, { type: 7 }],
    ['bad-input', `Node a got from b 'bill', which is none of ball. ${cure}`, { type: 'bill' }],
    ['bad-input', `Node a got from b 'constructor', which is none of ball. ${cure}`, { type: 'constructor' }],
    ['bad-input', `Node a got from b 'throw', which is none of ball. ${cure}`, { type: 'throw' }],
    ['bad-input', `Node a got from b 'ball' without its field 'throws'. ${cure}`, { type: 'ball' }],
    ['bad-input', `Node a got from b 'ball' with a field 'from', which is not declared. ${cure}`, { type: 'ball', throws: 1, from: 'c' }],
    ['bad-input', `Node a got from b 'ball' whose 'throws' is not plain data. ${cure}`, { type: 'ball', throws: Number.NaN }],
    ['bad-input', `Node a got from b 'ball' whose 'nesting without end' is not plain data. ${cure}`, circle],
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

  it.each(['c', 'a'])('a sender that is no neighbour: %s', async (from) => {
    const { wire, errors } = embedAlone();
    await sleep(0);
    wire.next({ from, message: { type: 'ball', throws: 1 } });
    expect(errors.map(({ message }) => message)).toEqual([
      `Node a got a message from '${from}', which has no channel to it in 'complete:a,b'`,
    ]);
  });

  it('tells errors$ rather than onError while it is observed, and console.error when nobody listens', () => {
    const said = vi.spyOn(console, 'error').mockReturnValue();
    const wire = new Subject<Incoming>();
    const a = embed(ball, { self: 'a', peers: ['b'], transport: bare(wire) });
    return sleep(0).then(() => {
      wire.next({ from: 'b', message: 1 });
      expect(said).toHaveBeenCalledTimes(1);
      const errors: ConclaveError[] = [];
      a.errors$.subscribe((error) => errors.push(error));
      wire.next({ from: 'b', message: 2 });
      expect(said).toHaveBeenCalledTimes(1);
      expect(errors).toHaveLength(1);
    });
  });

  it('does not lose an error of the first moment', async () => {
    const errors: ConclaveError[] = [];
    const a = embed(ball, { self: 'a', peers: ['b'], transport: bare(of({ from: 'b', message: 'rubbish' })) });
    a.errors$.subscribe((error) => errors.push(error));
    await sleep(0);
    expect(errors).toHaveLength(1);
  });

  it('a transport that cannot send, or fails', async () => {
    const errors: ConclaveError[] = [];
    const transport = bare(
      throwError(() => new Error('unplugged')),
      {
        errors$: of(new ConclaveError('bad-input', 'Noise on the line')),
        send: () => {
          throw new Error('no carrier');
        },
      },
    );
    const { a } = embedAlone({ transport, onError: (error) => errors.push(error) });
    a.send({ type: 'throw' });
    await sleep(0);
    expect(errors.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'bad-input: Noise on the line',
      'bad-input: Node a: unplugged',
      "closed: Node a cannot send 'ball' to b: no carrier",
    ]);
    expect(a.state.value).toBe('without');
  });

  it('a machine that breaks the node contract: its node stops', async () => {
    for (const [command, text] of [
      ['stray', "Node a sends 'ball' to nowhere, to which it has no channel in 'complete:a,b'"],
      ['burst', 'Node a failed: the ball has burst'],
    ] as const) {
      const { a } = embedAlone();
      let completed = false;
      a.state$.subscribe({ complete: () => (completed = true) });
      expect(refusal(() => a.send({ type: command }))).toMatchObject({ code: 'bad-protocol', message: text });
      await sleep(0);
      expect(completed).toBe(true);
      expect(refusal(() => a.send({ type: 'toss' })).code).toBe('closed');
    }
  });

  it('a transport that cannot even be closed', async () => {
    const { a, errors } = embedAlone({ transport: bare(new Subject(), { close: () => Promise.reject(new Error('stuck')) }) });
    expect(refusal(() => a.send({ type: 'burst' })).code).toBe('bad-protocol');
    await sleep(0);
    expect(errors.map(({ message }) => message)).toEqual(['Node a: stuck']);
  });

  it('a machine that breaks it without being asked: the error is told, then the node stops', async () => {
    const { a, wire } = embedAlone();
    a.send({ type: 'throw' });
    await sleep(0);
    const told: string[] = [];
    a.errors$.subscribe({ next: ({ code, message }) => told.push(`${code}: ${message}`), complete: () => told.push('the end') });
    wire.next({ from: 'b', message: { type: 'ball', throws: -1 } });
    expect(told).toEqual(['bad-protocol: Node a failed: less than no throws', 'the end']);
    expect(wire.observed).toBe(false);
  });
});
