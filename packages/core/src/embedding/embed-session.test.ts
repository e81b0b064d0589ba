/**
 * Embedded nodes whose peers may come back as new processes, and what they keep on stable storage.
 */

import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ConclaveError } from '../base/error.js';
import { calls } from '../protocol/examples.contract.js';
import type { Command } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import { chain, complete, ring } from '../topology/generators.js';
import * as needs from '../topology/needs.js';
import { ball, ballOver, bare, refusal } from './ball.contract.js';
import { embed } from './embed.js';
import type { Embedded, EmbedOptions } from './embedded.js';
import { handStepped } from './memory.js';
import { type Process, Processes } from './processes.contract.js';
import { memoryStorage, type StableStorage } from './storage.js';

/** Nodes of `protocol` on one medium. */
class Bench {
  readonly medium = new Processes();
  readonly errors: string[] = [];
  /** Which nodes have said that they are in the critical section. */
  readonly entered: string[] = [];

  constructor(private readonly protocol: Protocol) {}

  start(self: string, options: Partial<EmbedOptions> = {}): Embedded & Process {
    const process = this.medium.start(self);
    const node = embed(this.protocol, {
      self,
      topology: complete(['a', 'b']),
      transport: process.transport,
      onError: (error) => this.errors.push(`${error.code}: ${error.message}`),
      ...options,
    } as EmbedOptions); // Partial loses which of the two surroundings is given
    node.state$.subscribe(({ tags }) => tags.has('critical') && this.entered.push(self));
    return Object.assign(node, process);
  }

  quiet(): Promise<void> {
    return this.medium.quiet();
  }
}
const doThrow: Command = { type: 'throw' };

describe('a node whose peers may come back', () => {
  it('starts when its peers have admitted it', async () => {
    const bench = new Bench(ball);
    const a = bench.start('a');
    await bench.quiet();
    expect([a.state.value, a.state.tags.size, a.takes(doThrow)]).toEqual(['with', 0, false]);
    expect(refusal(() => a.send(doThrow))).toMatchObject({
      code: 'unhandled',
      message:
        "Node a is not admitted by its peers yet; it takes no 'throw'. Wait for its peers first: await node.admitted. It resolves when all nodes of the network have been started.",
    });
    const b = bench.start('b');
    await Promise.all([a.admitted, b.admitted]);
    expect([a.state.tags.has('critical'), a.takes(doThrow), bench.entered]).toEqual([
      true,
      true,
      ['a'],
    ]);
    a.send(doThrow);
    await bench.quiet();
    expect([b.state.value, bench.entered, bench.errors]).toEqual(['with', ['a', 'b'], []]);
  });

  it('is refused when it comes back, with an error on both sides, and never believes that it has the ball', async () => {
    const bench = new Bench(ball);
    const [a, b] = [bench.start('a', { incarnation: 5 }), bench.start('b', { incarnation: 1 })];
    await bench.quiet();
    a.send(doThrow);
    await bench.quiet();
    a.kill();
    let completed = false;
    const again = bench.start('a', { incarnation: 8 });
    again.state$.subscribe({ complete: () => (completed = true) });
    await expect(again.admitted).rejects.toMatchObject({ code: 'refused' });
    await bench.quiet();
    expect([again.incarnation, completed, b.state.value, bench.entered]).toEqual([
      8,
      true,
      'with',
      ['a', 'b'],
    ]);
    expect(refusal(() => again.send(doThrow)).code).toBe('closed');
    const why =
      'it has started with incarnation 5, and the protocol does not tolerate a restart. Stop all nodes, then start all of them, or take a protocol that tolerates a restart.';
    expect(bench.errors).toEqual([
      `refused: Node b refuses incarnation 8 of a: ${why}`,
      `refused: Incarnation 8 of node a is refused by b: ${why}`,
    ]);
  });

  it('is closed when a later incarnation has replaced it', async () => {
    const bench = new Bench(ball);
    const [a, b] = [bench.start('a', { incarnation: 1 }), bench.start('b', { incarnation: 1 })];
    await bench.quiet();
    a.pause();
    b.kill();
    const [later] = [bench.start('a', { incarnation: 2 }), bench.start('b', { incarnation: 2 })];
    await bench.quiet();
    expect(later.state.tags.has('critical')).toBe(true);
    a.send(doThrow); // it was paused, and does not know
    await bench.quiet();
    a.wake();
    await bench.quiet();
    expect(refusal(() => a.send(doThrow)).code).toBe('closed');
    expect(bench.errors).toContain(
      'refused: Incarnation 1 of node a is refused by b: incarnation 2 has replaced it. Run one process for each node.',
    );
    expect(bench.errors.filter((error) => error.startsWith('closed'))).toEqual([]); // said once
  });

  it('is refused by nodes with other options, or another network', async () => {
    const bench = new Bench(ball);
    bench.start('a');
    const b = bench.start('b', { topology: complete(['b', 'a']) });
    await expect(b.admitted).rejects.toThrow(
      'Node b is refused by a: its \'network\' is "complete:b,a" at b and "complete:a,b" at a',
    );
    expect(bench.errors).toContainEqual(
      expect.stringMatching(/refused: Node a refuses incarnation \d+ of b: its 'network' is/),
    );
  });

  it('asks all nodes of the network, not only its neighbours', async () => {
    const nodes = ['a', 'b', 'c', 'd'];
    const medium = new Processes();
    const topology = ring(nodes);
    const start = (self: string) => {
      const process = medium.start(self);
      return {
        ...process,
        node: embed(
          { ...calls, topology: needs.oneWayRing },
          { self, topology, transport: process.transport, onError: () => {} },
        ),
      };
    };
    const [a, b] = nodes.map(start);
    await medium.quiet();
    expect(a?.node.takes({ type: 'call' })).toBe(true);
    a?.kill();
    b?.kill();
    const again = [start('a'), start('b')];
    for (const { node } of again)
      await expect(node.admitted).rejects.toMatchObject({ code: 'refused' });
  });

  it('is not admitted when it is closed before', async () => {
    const a = new Bench(ball).start('a');
    await a.close();
    await expect(a.admitted).rejects.toThrow('Node a was closed before its peers had admitted it');
  });

  it('starts at once where the protocol tolerates a restart, or the transport has admitted it', async () => {
    const tolerant: Protocol = { ...ball, tolerates: ['crash', 'restart'] };
    const bench = new Bench(tolerant);
    expect(bench.start('a').state.tags.has('critical')).toBe(true);
    await bench.start('b').admitted;
    const { transport } = bench.medium.start('a');
    const below = embed(ball, {
      self: 'a',
      peers: ['b'],
      transport: { ...transport, admitted: Promise.resolve() },
    });
    expect(below.state.tags.size).toBe(0);
    await below.admitted;
    expect(below.state.tags.has('critical')).toBe(true);
    expect(bench.medium.sent).toBe(0);
  });

  it('stops when its transport closes by itself, and says so', () => {
    const status$ = new Subject<{ state: 'closed'; reason: string }>();
    const errors: string[] = [];
    const a = embed(ball, {
      self: 'a',
      peers: ['b'],
      transport: bare(new Subject(), { status$ }),
      onError: ({ message }) => errors.push(message),
    });
    return Promise.resolve().then(() => {
      status$.next({ state: 'closed', reason: 'the server has gone' });
      expect(errors).toEqual(['Node a has lost its transport for good: the server has gone']);
      expect(refusal(() => a.send({ type: 'throw' })).code).toBe('closed');
    });
  });
});

describe('a node with stable storage', () => {
  const call: Command = { type: 'call' };
  const tolerant: Protocol = { ...calls, tolerates: ['crash', 'restart'] };

  it('starts again from its stable fields, with a larger incarnation', async () => {
    const network = handStepped(['a', 'b'], { order: 'any', loss: true, duplication: true });
    const storage = memoryStorage();
    const start = () =>
      embed(calls, {
        self: 'a',
        topology: chain(['a', 'b']),
        transport: network.transport('a'),
        clock: network.clock('a'),
        storage,
        incarnation: 4,
      });
    const a = start();
    expect([a.incarnation, storage.read()]).toEqual([4, { incarnation: 4, fields: { calls: 0 } }]);
    a.send(call);
    expect(storage.read()).toEqual({ incarnation: 4, fields: { calls: 1 } });
    await a.close();
    const again = start();
    expect([again.incarnation, again.state.context, again.state.value]).toEqual([
      5,
      expect.objectContaining({ calls: 1, tries: 0 }),
      'idle',
    ]);
    expect(storage.read()).toEqual({ incarnation: 5, fields: { calls: 1 } });
  });

  it('writes before anything of the step leaves, and only what has changed', () => {
    const log: string[] = [];
    const storage: StableStorage = {
      read: () => undefined,
      write: ({ fields }) => log.push(`write ${JSON.stringify(fields)}`),
    };
    const send = (_to: string, { type }: { readonly type: string }) => log.push(type);
    const wire = new Subject<{ from: string; message: unknown }>();
    const clock = handStepped(['a', 'b']).clock('a'); // in real time its call may end meanwhile
    const transport = bare(wire, { send });
    const a = embed(calls, { self: 'a', peers: ['b'], transport, storage, clock });
    a.state$.subscribe(({ value }) => log.push(`state ${String(value)}`));
    a.send(call);
    wire.next({ from: 'b', message: { type: 'ping', n: 7 } });
    expect(log).toEqual([
      'write {"calls":0}',
      'state idle',
      'write {"calls":1}',
      'ping',
      'state calling',
      'pong',
    ]);
  });

  it('stops when the storage cannot be written, and nothing of that step leaves', async () => {
    const sent: unknown[] = [];
    const told: unknown[] = [];
    let closed = 0;
    const storage: StableStorage = {
      read: () => undefined,
      write: ({ fields }) => {
        if (fields?.calls !== 0) throw new Error('ENOSPC: no space left on device');
      },
      close: () => closed++,
    };
    const a = embed(calls, {
      self: 'a',
      peers: ['b'],
      transport: bare(new Subject(), { send: (_to, message) => sent.push(message) }),
      storage,
    });
    a.state$.subscribe(({ value }) => told.push(value));
    a.notifications$.subscribe((notification) => told.push(notification));
    expect(refusal(() => a.send(call))).toMatchObject({
      code: 'closed',
      message: expect.stringContaining(
        'Node a has stopped: its storage cannot be written: ENOSPC: no space left on device',
      ),
    });
    expect([sent, told]).toEqual([[], ['idle']]);
    expect(refusal(() => a.send(call)).message).toBe("Node a is closed; it takes no 'call'");
    await a.close();
    expect(closed).toBe(1);
  });

  it('does not start when its incarnation cannot be written, or its record not be read', () => {
    const broken = (overrides: Partial<StableStorage>): StableStorage => ({
      ...memoryStorage(),
      ...overrides,
    });
    const fail = () => {
      throw new Error('EIO');
    };
    const sent: unknown[] = [];
    const transport = bare(new Subject(), { send: (_to, message) => sent.push(message) });
    const start = (storage: StableStorage) => () =>
      embed(calls, { self: 'a', peers: ['b'], transport, storage });
    expect(start(broken({ write: fail }))).toThrow('its storage cannot be written: EIO');
    const full = () => {
      throw new ConclaveError('unavailable', "'data/a' cannot be written", 'Make space.');
    };
    expect(start(broken({ write: full }))).toThrow(
      "Node a has stopped: 'data/a' cannot be written. Make space. Start the node again: it has told nobody what is not stored.",
    );
    expect(start(broken({ read: fail }))).toThrow('EIO');
    expect(sent).toEqual([]);
  });

  it('is needed where the node may come back, has stable fields, and is not admitted by its peers', () => {
    const { transport } = new Processes().start('a');
    const make = (protocol: Protocol, options: Partial<EmbedOptions> = {}) =>
      embed(protocol, {
        self: 'a',
        peers: ['b'],
        transport,
        onError: () => {},
        ...options,
      } as EmbedOptions); // as above
    expect(refusal(() => make(tolerant))).toMatchObject({
      code: 'assumption',
      message:
        "Tiny keeps calls on stable storage, and node a, which may come back as a new process, has none. Give it storage: fileStorage('data/a'), from @conclave/core/embedding/node.",
    });
    expect(make(tolerant, { storage: memoryStorage() }).state.value).toBe('idle');
    expect(make(calls).takes(call)).toBe(false); // it asks its peers instead
    expect(make({ ...ballOver(ball.channels), tolerates: ['restart'] }).state.value).toBe('with');
  });

  it('asks its peers when it comes back and the protocol does not tolerate that; a complete restart keeps the fields', async () => {
    const bench = new Bench(calls);
    const [one, other] = [memoryStorage(), memoryStorage()];
    const [a, b] = [
      bench.start('a', { storage: one, incarnation: 1 }),
      bench.start('b', { storage: other, incarnation: 1 }),
    ];
    await Promise.all([a.admitted, b.admitted]);
    a.send(call);
    await bench.quiet();
    a.kill();
    const refused = bench.start('a', { storage: one, incarnation: 1 });
    await expect(refused.admitted).rejects.toThrow(
      'Incarnation 2 of node a is refused by b: it has started with incarnation 1',
    );
    b.kill();
    const again = [
      bench.start('a', { storage: one, incarnation: 1 }),
      bench.start('b', { storage: other, incarnation: 1 }),
    ];
    await Promise.all(again.map(({ admitted }) => admitted));
    expect(again.map(({ incarnation, state }) => [incarnation, state.context.calls])).toEqual([
      [3, 1],
      [2, 0],
    ]);
  });
});
