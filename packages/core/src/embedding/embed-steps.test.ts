import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { Subject } from 'rxjs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMachine, type InspectionEvent, log, setup } from 'xstate';
import { NodeActor } from '../protocol/actor.js';
import { liveNode } from '../protocol/compiled/compiled-node.js';
import { calls, minimalProtocol, withMachine } from '../protocol/examples.contract.js';
import { type Command, type Effect, send } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import { randomProtocol } from '../protocol/random-protocol.contract.js';
import { complete } from '../topology/generators.js';
import { ball, bare, embedAlone, refusal } from './ball.contract.js';
import { embed } from './embed.js';
import type { Embedded, EmbedOptions } from './embedded.js';
import { transportClosed } from './inbox.js';
import { handStepped } from './memory.js';
import type { StableRecord, StableStorage } from './storage.js';
import type { Guarantees, Transport } from './transport.js';
import { wallClock } from './wall-clock.js';

const nodes = ['a', 'b', 'c'];

/** What is seen of three nodes: their journals, errors, states, timers and messages. */
function seen(
  protocol: Protocol,
  choices: readonly number[],
  options: Pick<EmbedOptions, 'inspect'>,
): readonly string[] {
  const lines: string[] = [];
  const network = handStepped(nodes);
  const noteError = (error: unknown) => void lines.push(String(error));
  let draws = 0;
  const made: Embedded[] = nodes.map((self) => {
    const journal = { append: (line: string) => void lines.push(line), close: async () => {} };
    return embed(protocol, {
      ...options,
      self,
      topology: complete(nodes),
      transport: network.transport(self),
      clock: network.clock(self),
      incarnation: 1,
      journal,
      onError: noteError,
      choose: (offered) => offered[draws++ % offered.length] ?? null,
    });
  });
  for (const node of made) {
    node.notifications$.subscribe((told) => lines.push(JSON.stringify(told)));
    node.state$.subscribe(({ value, context, tags }) =>
      lines.push(JSON.stringify([value, context, [...tags].sort()])),
    );
  }
  for (const choice of choices) {
    const enabled = [
      ...made.flatMap((node) => [() => node.send({ type: 'go' })]),
      ...network.inFlight.map(
        ({ from, to }) =>
          () =>
            network.deliver(from, to),
      ),
      ...nodes.flatMap((id) => network.timers(id).map((timer) => () => network.fire(id, timer))),
    ];
    try {
      enabled[choice % enabled.length]?.();
    } catch (error) {
      noteError(error);
    }
    lines.push(JSON.stringify([network.inFlight, ...nodes.map((id) => network.timers(id))]));
  }
  return lines;
}

it('a node on compiled steps does what an XState actor does, on random protocols', () => {
  let count = 0;
  const equal = fc.property(
    randomProtocol,
    fc.array(fc.nat(1000), { minLength: 8, maxLength: 24 }),
    (protocol, choices) => {
      const events: InspectionEvent[] = [];
      const byActor = seen(protocol, choices, { inspect: (event) => events.push(event) });
      const byPlan = seen(protocol, choices, {});
      expect(byPlan).toEqual(byActor);
      expect(events.length).toBeGreaterThan(0);
      count += byPlan.length;
    },
  );
  fc.assert(equal, { numRuns: 12 });
  expect(count).toBeGreaterThan(200);
});

it('an inspected node shows the events of XState', () => {
  const events: string[] = [];
  const network = handStepped(['a', 'b']);
  const a = embed(ball, {
    self: 'a',
    peers: ['b'],
    transport: network.transport('a'),
    inspect: ({ type, ...event }) =>
      void events.push('event' in event ? `${type} ${event.event.type}` : type),
  });
  a.send({ type: 'throw' });
  expect(events).toContain('@xstate.event throw');
});

it.each([
  ['is compiled runs on compiled steps', {}, false],
  ['logs runs as an actor, since compiled steps do not', { actions: log('named') }, true],
  ['has an action of its own runs as an actor', { actions: () => {} }, true],
])('a machine that %s', (_what, name, isActor) => {
  const protocol = withMachine(minimalProtocol(createMachine({})), createMachine({ on: { name } }));
  const host = { clock: wallClock, stepped: () => {}, choose: () => null };
  const made = liveNode(protocol, complete(nodes), 'a', host);
  expect(made instanceof NodeActor).toBe(isActor);
});

// What an embedded node must not survive, and what must not disturb it.

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

it('a late timer that fires before a command is told after the command, so that an observer does not send it a second time', async () => {
  const clock = pausedClock();
  const machine = setup({ types: {} as { events: { type: 'go' } } }).createMachine({
    type: 'parallel',
    states: {
      client: { initial: 'idle', states: { idle: { on: { go: 'busy' } }, busy: {} } },
      voter: { initial: 'bound', states: { bound: { after: { 1000: 'free' } }, free: {} } },
    },
  });
  const protocol = minimalProtocol(machine, {
    commands: { go: { kind: 'optional', meaning: 'go' } },
  });
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

it('a message that a transport without loss cannot send stops the node, which says so, after its other messages', async () => {
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
  const protocol = minimalProtocol(machine, {
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
  expect(refusal(() => a.send({ type: 'go' })).message).toBe("Node a is closed; it takes no 'go'");
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
  const protocol = minimalProtocol(machine, { messages: { ping: { meaning: 'ping' } } });
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

const call: Command = { type: 'call' };
const lossy: Guarantees = { order: 'any', loss: true, duplication: true };

/** Its timer does not fire while a test runs, however slow the machine is. */
const patient: Protocol = {
  ...calls,
  roles: Object.fromEntries(
    Object.entries(calls.roles).map(([name, role]) => [
      name,
      { ...role, machine: role.machine.provide({ delays: { ring: 600_000 } }) },
    ]),
  ),
};

/** A node on a storage that stages, and what happens, in its order. */
function started({
  fails = false,
  guarantees = lossy,
  protocol = patient,
}: {
  fails?: boolean;
  guarantees?: Guarantees;
  protocol?: Protocol;
} = {}) {
  const log: string[] = [];
  let staged: StableRecord | undefined;
  let ended = false;
  const written = (how: string, { fields }: StableRecord) =>
    log.push(`${how} ${JSON.stringify(fields)}`);
  const storage: StableStorage = {
    read: () => undefined,
    write: (record) => written('write', record),
    stage: (record) => {
      staged = record;
    },
    commit: () => {
      if (fails) throw new Error('EIO');
      if (staged) written('commit', staged);
      staged = undefined;
    },
  };
  const wire = new Subject<{ from: string; message: unknown }>();
  const node = embed(protocol, {
    self: 'a',
    peers: ['b'],
    transport: bare(wire, {
      guarantees,
      send: (_to, message) => {
        if (ended) throw transportClosed('a', message);
        log.push(message.type);
      },
    }),
    storage,
    onError: ({ code }) => log.push(`error ${code}`),
  });
  node.state$.subscribe({
    next: ({ value }) => log.push(`state ${String(value)}`),
    complete: () => log.push('closed'),
  });
  log.length = 0;
  const ping = () => wire.next({ from: 'b', message: { type: 'ping', n: 7 } });
  const end = () => {
    ended = true;
  };
  return { node, log, ping, end };
}
const turn = () => new Promise(setImmediate);

describe('the steps of one turn of the event loop', () => {
  it('share one write, and nothing of them leaves before it', async () => {
    const { node, log, ping } = started();
    node.send(call);
    ping();
    expect(log).toEqual([]);
    await turn();
    expect(log).toEqual(['commit {"calls":1}', 'ping', 'pong', 'state calling']);
    ping();
    expect(log.at(-1)).toBe('pong');
    await node.close();
  });

  it('are written when somebody looks at the state, settles the node, or closes it', async () => {
    const ways: ((node: ReturnType<typeof started>['node']) => unknown)[] = [
      (node) => node.state.value,
      (node) => node.settle(),
      (node) => void node.close(),
    ];
    for (const look of ways) {
      const { node, log } = started();
      node.send(call);
      look(node);
      expect(log.slice(0, 2)).toEqual(['commit {"calls":1}', 'ping']);
      expect(log).toContain('state calling');
      await node.close();
    }
  });

  it('are written when a timer is due: what it ends must be known at once', async () => {
    const { node, log, ping } = started({ protocol: calls });
    node.send(call);
    while ([...node.timers.values()].some((left) => left >= 0)); // its timer is late then
    expect(log).toEqual([]);
    ping();
    expect(log.slice(0, 3)).toEqual(['commit {"calls":1}', 'ping', 'ping']);
    await node.close();
  });

  it('are no error where the transport was closed meanwhile', async () => {
    const { node, log, end } = started();
    node.send(call);
    end();
    node.settle();
    expect(log).toContain('commit {"calls":1}');
    expect(log.filter((line) => line.startsWith('error'))).toEqual([]);
    await node.close();
  });

  it('have no effect where they cannot be written: the node stops', async () => {
    const { node, log } = started({ fails: true });
    node.send(call);
    await turn();
    expect(log).toEqual(['error closed', 'closed']);
    expect(node.state.value).toBe('idle');
  });

  it('are written one by one on a transport that loses nothing: what arrived is not sent again', async () => {
    const guarantees: Guarantees = { order: 'fifo', loss: false, duplication: false };
    const { node, log } = started({ guarantees });
    node.send(call);
    expect(log.slice(0, 2)).toEqual(['write {"calls":1}', 'ping']);
    await node.close();
  });
});
