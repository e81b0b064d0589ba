/**
 * Nodes with storage whose peers may come back as new processes: who differs is refused by name, on
 * both sides.
 */
import { describe, expect, it } from 'vitest';
import { calls } from '../protocol/examples.contract.js';
import type { Command } from '../protocol/node.js';
import type { TimerClock } from '../protocol/node-timers.js';
import type { Protocol } from '../protocol/protocol.js';
import { refusal } from './ball.contract.js';
import { embed } from './embed.js';
import type { Embedded, EmbedOptions } from './embedded.js';
import { type Process, Processes } from './processes.contract.js';
import { Registration } from './registration.js';
import { memoryStorage, type StableStorage } from './storage.js';
import { StoredNode } from './stored-node.js';
import type { Terms } from './terms.js';

const call: Command = { type: 'call' };
const tolerant: Protocol = { ...calls, tolerates: ['crash', 'restart'], options: { patience: 1 } };
const taken = {
  bindsFor: 0,
  fields: (kept: readonly Readonly<Record<string, unknown>>[]) => ({ calls: sum(kept) }),
};
const sum = (kept: readonly Readonly<Record<string, unknown>>[]) =>
  kept.reduce((total, { calls = 0 }) => total + Number(calls), 0);

class Bench {
  readonly medium = new Processes();
  readonly errors: string[] = [];

  start(
    self: string,
    storage: StableStorage | undefined,
    options: Partial<EmbedOptions> = {},
    protocol = tolerant,
  ): Embedded & Process {
    const process = this.medium.start(self);
    const node = embed(protocol, {
      ...{ self, nodes: ['a', 'b', 'c'], transport: process.transport },
      ...(storage && { storage }),
      onError: ({ message }) => this.errors.push(message),
      ...options,
    } as EmbedOptions); // Partial loses which of the surroundings is given
    return Object.assign(node, process);
  }

  async all(
    storages: readonly StableStorage[],
    options: Partial<EmbedOptions> = {},
    protocol = tolerant,
  ) {
    const nodes = ['a', 'b', 'c', 'd', 'e']
      .slice(0, storages.length)
      .map((self, at) => this.start(self, storages[at], options, protocol));
    await Promise.all(nodes.map(({ admitted }) => admitted));
    return nodes;
  }
}

const three = () => [memoryStorage(), memoryStorage(), memoryStorage()] as const;
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'admitted',
    ({ code }) => code,
  );

describe('a node with storage', () => {
  it('waits for all at its first start, and for nobody later', async () => {
    const bench = new Bench();
    const storages = three();
    const [a, b] = [bench.start('a', storages[0]), bench.start('b', storages[1])];
    await bench.medium.quiet();
    expect([a.awaited, a.takes(call), refusal(() => a.send(call)).code]).toEqual([
      ['c'],
      false,
      'unhandled',
    ]);
    const c = bench.start('c', storages[2]);
    await Promise.all([a.admitted, b.admitted, c.admitted]);
    a.send(call);
    for (const node of [a, b, c]) node.kill();
    const again = bench.start('a', storages[0]);
    expect([again.awaited, again.takes(call), again.state.context]).toEqual([
      [],
      true,
      expect.objectContaining({ calls: 1 }),
    ]);
    expect(bench.errors).toEqual([]);
  });

  it('says for whom it waits, again and again, ever more rarely', async () => {
    const bench = new Bench();
    const waits: { readonly fire: () => void; readonly delay: number }[] = [];
    const clock: TimerClock = {
      setTimeout: (fire, delay, timer) => {
        if (timer === 'wait') waits.push({ fire, delay });
        else if (delay === 0) queueMicrotask(fire);
        return timer;
      },
      clearTimeout: (timer) => timer === 'wait' && waits.splice(0),
    };
    const a = bench.start('a', memoryStorage(), { clock, reportWaitAfter: 100 });
    for (let times = 0; times < 3; times++) waits.at(-1)?.fire();
    expect(waits.map(({ delay }) => delay)).toEqual([100, 200, 400, 800]);
    const said = (ms: number) =>
      `Node a is not admitted after ${ms} ms: it waits for b, c. Check that they are up, that they list a, and that all have the same network.`;
    expect(bench.errors).toEqual([said(100), said(300), said(700)]);
    for (const self of ['b', 'c']) bench.start(self, memoryStorage());
    await a.admitted;
    expect(waits).toEqual([]);
  });

  it('without storage starts at once', () => {
    const { stable: _, ...role } = tolerant.roles.node ?? {};
    const node = new Bench().start(
      'a',
      undefined,
      {},
      { ...tolerant, roles: { node: role as Protocol['roles'][string] } },
    );
    expect([node.awaited, node.takes(call)]).toEqual([[], true]);
  });
});

describe('different options', () => {
  const impatient: Protocol = { ...tolerant, options: { patience: 9 } };

  it('are refused at the first start, on both sides, with what differs; most of the nodes wait', async () => {
    const bench = new Bench();
    const a = bench.start('a', memoryStorage(), {}, impatient);
    const [b, c] = [bench.start('b', memoryStorage()), bench.start('c', memoryStorage())];
    await bench.medium.quiet();
    expect(await codeOf(a.admitted)).toBe('refused');
    expect([b, c].map(({ refusal, awaited }) => [refusal, awaited])).toEqual([
      ...[
        [undefined, ['a']],
        [undefined, ['a']],
      ],
    ]);
    const cure = 'Start all nodes with the same protocol, options, messages and network.';
    expect(bench.errors).toContain(
      `Node b refuses node a: its 'options' is {"patience":1} at b and {"patience":9} at a. ${cure}`,
    );
    expect(bench.errors).toContain(
      `Node a is refused by node b: its 'options' is {"patience":9} at a and {"patience":1} at b. ${cure}`,
    );
    const again = bench.start('a', memoryStorage());
    await Promise.all([again, b, c].map(({ admitted }) => admitted));
    expect([again, b, c].map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined]);
  });

  it('of two nodes end both', async () => {
    const bench = new Bench();
    const nodes = ['a', 'b'];
    const a = bench.start('a', memoryStorage(), { nodes }, impatient);
    const b = bench.start('b', memoryStorage(), { nodes });
    await bench.medium.quiet();
    expect([await codeOf(a.admitted), await codeOf(b.admitted)]).toEqual(['refused', 'refused']);
  });

  it('are refused by its own storage later', async () => {
    const bench = new Bench();
    const storages = three();
    const [a] = await bench.all(storages);
    a?.kill();
    expect(refusal(() => bench.start('a', storages[0], {}, impatient))).toMatchObject({
      code: 'refused',
      message:
        'Node a was registered with other terms in epoch 1: its \'options\' is {"patience":1} at its last start and {"patience":9} at this one. Start it as before, or stop all nodes, and start all of them with epoch 2.',
    });
  });

  it('are told from what leaves the terms the same; another version is one', async () => {
    const bench = new Bench();
    const storages = three();
    const [a, b] = await bench.all(storages);
    a?.kill();
    b?.kill();
    const texts: Protocol = { ...tolerant, title: 'Calls, repaired', citation: 'another one' };
    expect(await codeOf(bench.start('a', storages[0], {}, texts).admitted)).toBe('admitted');
    const next: Protocol = { ...tolerant, version: 2 };
    expect(refusal(() => bench.start('b', storages[1], {}, next)).message).toContain(
      "its 'version' is missing at its last start and 2 at this one",
    );
  });

  it('of nodes without storage are refused with each message, and reported once on both sides', async () => {
    const bench = new Bench();
    const { stable: _, ...role } = tolerant.roles.node ?? {};
    const without = (options: Protocol['options']) => ({
      ...tolerant,
      options,
      roles: { node: role as Protocol['roles'][string] },
    });
    const a = bench.start('a', undefined, {}, without({ patience: 1 }) as Protocol);
    const b = bench.start('b', undefined, {}, without({ patience: 2 }) as Protocol);
    const answers: string[] = [];
    for (const node of [a, b])
      node.notifications$.subscribe(({ type }) => type === 'answered' && answers.push(type));
    for (let times = 0; times < 20; times++) {
      if (a.takes(call)) a.send(call);
      else if (b.takes(call)) b.send(call);
      await bench.medium.quiet();
    }
    expect(answers).toEqual([]);
    expect(bench.errors.map((message) => message.slice(0, message.indexOf(':')))).toEqual([
      ...['Node a is refused by node b', 'Node b refuses node a'],
      ...['Node b is refused by node a', 'Node a refuses node b'],
    ]);
  });
});

describe('a node whose messages are refused', () => {
  const made = (self: string, medium: Processes, terms: Terms) => {
    const made = new Registration(medium.start(self).transport, {
      ...{ nodes: ['a', 'b', 'c'], terms, stored: new StoredNode(self, undefined, 1) },
      ...{ succession: undefined, clock: undefined },
    });
    const states: string[] = [];
    made.status$.subscribe(({ state }) => states.push(state));
    return Object.assign(made, { states });
  };

  it.each([
    ['takes part no longer where most others have other terms', { epoch: 1, x: 2 }, ['closed']],
    ['waits for those of an earlier epoch', { epoch: 2 }, []],
  ])('%s; the others go on', async (_, odd, end) => {
    const medium = new Processes();
    const a = made('a', medium, odd);
    const [b, c] = [made('b', medium, { epoch: 1 }), made('c', medium, { epoch: 1 })];
    for (const [one, to] of [
      [b, 'a'],
      [a, 'b'],
      [c, 'a'],
    ] as const)
      one.send(to, { type: 'x' });
    await medium.quiet();
    expect([a, b, c].map(({ states }) => states)).toEqual([['up'], ['up'], ['up']]);
    a.send('c', { type: 'x' });
    await medium.quiet();
    expect([a, b, c].map(({ states }) => states)).toEqual([['up', ...end], ['up'], ['up']]);
  });

  it('counts only those that have other terms now', async () => {
    const medium = new Processes();
    const a = made('a', medium, { epoch: 1 });
    const tell = async (self: string, terms: Terms) => {
      const one = made(self, medium, terms);
      a.send(self, { type: 'x' });
      one.send('a', { type: 'x' });
      await medium.quiet();
      await one.close();
    };
    await tell('b', { epoch: 1, x: 2 });
    await tell('b', { epoch: 1 });
    await tell('c', { epoch: 1, x: 2 });
    expect(a.states).toEqual(['up']);
    await tell('b', { epoch: 1, x: 2 });
    expect(a.states).toEqual(['up', 'closed']);
  });

  it('knows why it takes part no longer', async () => {
    const bench = new Bench();
    const { stable: _, ...role } = tolerant.roles.node ?? {};
    const start = (self: string, patience: number) =>
      bench.start(...([self, undefined, { nodes: ['a', 'b'] }] as const), {
        ...tolerant,
        options: { patience },
        roles: { node: role as Protocol['roles'][string] },
      });
    const [a] = [start('a', 1), start('b', 2)];
    a.send(call);
    await bench.medium.quiet();
    expect([a.takes(call), a.refusal?.what]).toEqual([
      ...[
        false,
        'Node a is refused by node b: its \'options\' is {"patience":1} at a and {"patience":2} at b',
      ],
    ]);
  });
});

describe('a second process of one name', () => {
  it('with another storage is refused, and the first goes on', async () => {
    const bench = new Bench();
    const [a, b] = await bench.all(three());
    const second = bench.start('a', memoryStorage());
    await bench.medium.quiet();
    expect(await codeOf(second.admitted)).toBe('refused');
    const why =
      'b knows a node a with another storage. Run one process for each node, always on its storage. Where a storage is lost, start all nodes with the next epoch.';
    expect(bench.errors).toContain(`Node a is refused by node b: ${why}`);
    expect(bench.errors).toContain(`Node b refuses node a: ${why}`);
    expect([a?.takes(call), b?.takes(call)]).toEqual([true, true]);
  });

  it('with the same storage replaces the first, which is told so', async () => {
    const bench = new Bench();
    const storages = three();
    const [a] = await bench.all(storages);
    const second = bench.start('a', storages[0]);
    second.send(call);
    await bench.medium.quiet();
    a?.send(call);
    await bench.medium.quiet();
    expect(bench.errors).toContain(
      'Node a is refused by node b: a later process with its storage has replaced it. Run one process for each node.',
    );
    expect(refusal(() => a?.send(call)).code).toBe('closed');
    expect(second.takes(call)).toBe(true);
  });
});

describe('another epoch', () => {
  const next = { ...tolerant, succession: taken };

  it('begins when all its nodes have left the one before, with what they had promised', async () => {
    const bench = new Bench();
    const storages = [...three(), memoryStorage(), memoryStorage()];
    const [a, b, c] = await bench.all(storages.slice(0, 3), {}, next);
    for (const node of [a, a, b]) {
      node?.send(call);
      await bench.medium.quiet();
    }
    const nodes = ['a', 'b', 'c', 'd', 'e'];
    a?.kill();
    const later = bench.start('a', storages[0], { nodes, epoch: 2 }, next);
    await bench.medium.quiet();
    expect([later.awaited, later.takes(call)]).toEqual([['b', 'c', 'd', 'e'], false]);
    expect(bench.errors).toContain(
      "Node b refuses node a: its 'epoch' is 1 at b and 2 at a. Start all nodes with the same protocol, options, messages and network.",
    );
    expect([b?.takes(call), c?.takes(call)]).toEqual([true, true]);
    for (const node of [later, b, c]) node?.kill();
    const all = await bench.all(storages, { nodes, epoch: 2 }, next);
    await Promise.all(all.map(({ admitted }) => admitted));
    expect(all.map(({ state }) => state.context.calls)).toEqual([3, 3, 3, 3, 3]);
    expect(storages[4]?.read()).toMatchObject({
      fields: { calls: 3 },
      registration: { registered: true, terms: { epoch: 2 } },
    });
  });

  it('is refused where the storage knows a later one, or its protocol does not say what its promises become', async () => {
    const bench = new Bench();
    const storages = three();
    await bench.all(storages, { epoch: 4 });
    expect(refusal(() => bench.start('a', storages[0])).message).toBe(
      'Node a was started in epoch 4 before, and now in epoch 1. Give all nodes the epoch 4.',
    );
    expect(refusal(() => bench.start('a', storages[0], { epoch: 5 })).message).toBe(
      'Node a has kept calls, which its protocol cannot take into another epoch. Stop all nodes, remove all of their storages, and start all of them.',
    );
  });

  it.each([
    ['3', ['a', 'b', 'c'], ['a', 'd', 'e'], '1 in this one (a)'],
    ['4', ['a', 'b', 'c', 'd'], ['a', 'b', 'e', 'f'], '2 in this one (a, b)'],
  ])(
    'is refused where those of %s who are left out could go on alone',
    async (count, first, nodes, found) => {
      const bench = new Bench();
      const storages = first.map(() => memoryStorage());
      await bench.all(storages, { nodes: first }, next);
      expect(refusal(() => bench.start('a', storages[0], { nodes, epoch: 2 }, next)).message).toBe(
        `Of the ${count} nodes of its last epoch, node a finds ${found}: the others could go on without them. Keep more than half of the nodes; replace the others in a later epoch.`,
      );
    },
  );
});
