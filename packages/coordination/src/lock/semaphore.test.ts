import { setImmediate as turn } from 'node:timers/promises';
import { multipleEntries } from '@conclave/algorithms/multiple-entries';
import { exploreSystem } from '@conclave/check';
import { memoryNetwork } from '@conclave/core/embedding';
import { always, sometimes } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { quickOf } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { failing } from '../../../algorithms/src/contract/findings.contract.js';
import { refusal } from '../election/elections.contract.js';
import { memoryStore } from '../store/store.js';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { lock } from './lock.js';
import { type SemaphoreOptions, semaphore } from './semaphore.js';

/** The nodes a, b, … of a semaphore. */
function semaphores(n: number, entries: number) {
  const topology = complete(n);
  const network = memoryNetwork(topology, { order: 'any', schedule: setImmediate });
  return topology.nodes.map((self) =>
    semaphore({ entries, self, topology, transport: network.transport(self) }),
  );
}

const turns = async (count = 20) => {
  for (let left = count; left > 0; left--) await turn();
};

describe('a semaphore', () => {
  it.each([
    [1, 3],
    [2, 4],
    [3, 4],
  ])('admits %i of %i nodes at once, and never one more', async (entries, n) => {
    const nodes = semaphores(n, entries);
    let [inside, most, entered] = [0, 0, 0];
    await Promise.all(
      nodes.flatMap((each) =>
        Array.from({ length: 5 }, () =>
          each.run(async ({ fencingToken }) => {
            expect(fencingToken).toBeUndefined();
            entered++;
            inside++;
            most = Math.max(most, inside);
            await turns();
            inside--;
          }),
        ),
      ),
    );
    expect([most, entered]).toEqual([entries, 5 * n]);
    for (const each of nodes) await each.close();
  });

  it('lets a node wait until one of those inside leaves, and withdraws a request that is too late', async () => {
    const [a, b, c] = semaphores(3, 2);
    if (!a || !b || !c) throw new Error('unreachable: three were made');
    const first = await a.acquire();
    const second = await b.acquire();
    expect(await c.tryAcquire({ waitFor: 10 })).toBeUndefined();
    expect(c.metrics).toMatchObject({ withdrawn: 1 });
    let third = false;
    const waiting = c.run(() => (third = true));
    await turns();
    expect(third).toBe(false);
    first.release();
    expect(await waiting).toBe(true);
    second.release();
    for (const each of [a, b, c]) await each.close();
  });

  it('goes on with one entry less when a node is closed, and stops when none is left', async () => {
    const [a, b, c, d] = semaphores(4, 2);
    if (!a || !b || !c || !d) throw new Error('unreachable: four were made');
    await d.close();
    const held = await a.acquire();
    expect(await b.tryAcquire({ waitFor: 10 })).toBeUndefined();
    held.release();
    await b.run(() => {});
    await c.close();
    await expect(a.acquire({ waitFor: 10 })).rejects.toThrow(
      /^Node a did not get the lock within 10 ms: it waits for (b, )?c, d\./, // b may be late, too
    );
  });

  it('refuses what is no number of entries, and options of locks alone', () => {
    const topology = complete(2);
    const of = (options: Readonly<Record<string, unknown>>) => () =>
      semaphore({
        self: 'a',
        topology,
        transport: memoryNetwork(topology).transport('a'),
        ...options,
      } as SemaphoreOptions); // wrong on purpose
    expect(of({ entries: 0 })).toThrow(/^semaphore: entries is 0\./);
    expect(of({})).toThrow(/^semaphore: entries is /);
    expect(of({ entries: 2, tolerate: 'none' })).toThrow(/^semaphore: .*tolerate/);
  });

  it('is no lock', () => {
    const topology = complete(2);
    expect(() =>
      lock(multipleEntries(), {
        self: 'a',
        topology,
        transport: memoryNetwork(topology).transport('a'),
      }),
    ).toThrow(/solves 'k-exclusion'; a lock needs a protocol for 'mutual-exclusion'/);
  });
});

const ids = ['a', 'b', 'c', 'd'] as const;

function four(entries: number, mute = new Set<string>()) {
  const network = memoryNetwork(ids);
  const [a, b, c, d] = ids.map((self) => {
    const transport = network.transport(self);
    const send: typeof transport.send = (to, message) => {
      if (!mute.has(self) && !mute.has(to)) transport.send(to, message);
    };
    const onError = () => {}; // of nodes that have closed
    const own = { self, peers: ids, transport: { ...transport, send }, onError };
    return semaphore({ entries, tolerate: 'crash', ...own });
  });
  if (!a || !b || !c || !d) throw new Error('unreachable: four were made');
  return { a, b, c, d };
}

/** By rows of a store. */
function fourOfRows(entries: number) {
  const store = memoryStore();
  const one = (self: string) => semaphore({ entries, self, store, name: 'shop', lease: 2_000 });
  return { a: one('a'), b: one('b'), c: one('c'), d: one('d') };
}

inVirtualTime();

describe('a semaphore by leases', () => {
  it.each([
    ['votes', four],
    ['rows', fourOfRows],
  ])(
    'admits so many calls at once, of several nodes and of one, each entry with growing tokens: by %s',
    async (_, make) => {
      const { a, b, c, d } = make(2);
      let inside = 0;
      let most = 0;
      const largest = new Map<number, number>();
      const critical = async ({ fencingToken = -1 }) => {
        most = Math.max(most, ++inside);
        expect(fencingToken).toBeGreaterThan(largest.get(fencingToken % 2) ?? 0);
        largest.set(fencingToken % 2, fencingToken);
        await pass(20);
        inside--;
      };
      await Promise.all(
        [a, a, b, b, c, d].flatMap((each) => [each.run(critical), each.run(critical)]),
      );
      expect([most, largest.size, inside]).toEqual([2, 2, 0]);
      expect(a.metrics).toMatchObject({ acquired: 4, released: 4, held: 0, waiting: 0 });
      for (const each of [a, b, c, d]) await each.close();
    },
  );

  it('gets the entry of a node that is silent after its lease, and the node learns of it', async () => {
    const mute = new Set<string>();
    const { a, b, c, d } = four(2, mute);
    const [first, second] = [await a.acquire(), await b.acquire()];
    expect(await c.tryAcquire({ waitFor: 100 })).toBeUndefined();
    mute.add('a');
    const third = await c.acquire({ waitFor: 30_000 });
    expect(first.signal.reason).toMatchObject({ code: 'lost', reason: 'lease-expired' });
    expect(a.metrics).toMatchObject({ lost: { 'lease-expired': 1 }, held: 0 });
    expect(second.signal.aborted).toBe(false);
    expect(
      d
        .holders()
        .holders.map(({ node }) => node)
        .sort(),
    ).toEqual(['b', 'c']);
    third.release();
    second.release();
    for (const each of [b, c, d]) await each.close();
  });

  it('ends a wait by its signal or time, and needs three nodes', async () => {
    const { a, b, c, d } = four(1);
    const held = await a.acquire();
    const given = new AbortController();
    const waiting = refusal(b.acquire({ signal: given.signal }));
    const late = refusal(c.acquire({ waitFor: 50 }));
    await pass(100);
    given.abort('enough');
    expect(await waiting).toMatchObject({ code: 'aborted', cause: 'enough' });
    expect(await late).toMatchObject({ code: 'timed-out' });
    held.release();
    expect(await d.run(() => 'inside')).toBe('inside');
    expect(() => a.shared()).toThrow('exclusive');
    for (const each of [a, b, c, d]) await each.close();
    const two = { self: 'a', peers: ['b'], transport: memoryNetwork(['a', 'b']).transport('a') };
    expect(() => semaphore({ entries: 1, tolerate: 'crash', ...two })).toThrow('A semaphore of 2');
  });

  it('by rows lets another program in where one leaves, or its lease is over', async () => {
    const { a, b, c, d } = fourOfRows(2);
    const [first, second] = [await a.acquire(), await b.acquire()];
    expect(await c.tryAcquire({ waitFor: 100 })).toBeUndefined();
    first.release();
    const third = await c.acquire({ waitFor: 100 });
    expect(Number(third.fencingToken) % 2).toBe(Number(first.fencingToken) % 2);
    const late = refusal(d.acquire({ waitFor: 10_000 }));
    await pass(5_000);
    expect([second.signal.aborted, third.signal.aborted]).toEqual([false, false]);
    expect(await late).toMatchObject({ code: 'timed-out' });
    for (const each of [a, b, c, d]) await each.close();
    expect(third.signal.aborted).toBe(true);
  });

  it('by rows takes no option of others', () => {
    const options = { entries: 0, store: memoryStore(), name: 'shop' };
    const voters = { ...options, voters: ['a'] };
    expect(() => semaphore(voters)).toThrow("semaphore: there is no option 'voters'");
    expect(() => semaphore(options)).toThrow('semaphore: entries is 0');
  });
});

/**
 * The design, over locks that serve their requests in order: by lock, the nodes whose requests it
 * has; by node, how often it still enters, and what it does: idle (−2), waiting (−1), or inside by
 * this lock. A node that is down has −3, and its requests end after their leases.
 */
type System = {
  readonly queues: readonly (readonly number[])[];
  readonly nodes: readonly { readonly left: number; readonly at: number }[];
};
type Action = readonly ['ask' | 'widen' | 'enter' | 'withdraw' | 'leave' | 'crash', number, number];

const [down, idle, waiting] = [-3, -2, -1];

function systemOf(locks: number, nodes: number, entries: number, crashes: number) {
  const every = <T>(count: number, of: (at: number) => T) =>
    Array.from({ length: count }, (_, at) => of(at));
  const set = <T>(list: readonly T[], at: number, value: T) =>
    list.map((old, place) => (place === at ? value : old));
  const actionsOf = ({ queues, nodes }: System, node: number): readonly Action[] => {
    const { left = 0, at = idle } = nodes[node] ?? {};
    const has = (lock: number) => queues[lock]?.includes(node) ?? false;
    const all = every(locks, (lock) => lock);
    const mayCrash = at > idle && nodes.filter((other) => other.at === down).length < crashes;
    return [
      ...(at === idle && left > 0
        ? all.filter((lock) => !has(lock)).map((lock) => ['ask', node, lock] as const)
        : []),
      // other requests at the one that seemed to be free
      ...(at === waiting && all.some((lock) => has(lock) && queues[lock]?.[0] !== node)
        ? all.filter((lock) => !has(lock)).map((lock) => ['widen', node, lock] as const)
        : []),
      ...(at === waiting
        ? all
            .filter((lock) => queues[lock]?.[0] === node)
            .map((lock) => ['enter', node, lock] as const)
        : []),
      ...(at !== waiting
        ? all
            .filter((lock) => has(lock) && lock !== at)
            .map((lock) => ['withdraw', node, lock] as const)
        : []),
      ...(at >= 0 ? [['leave', node, at] as const] : []),
      ...(mayCrash ? [['crash', node, 0] as const] : []),
    ];
  };
  return {
    initial: {
      queues: every(locks, () => []),
      nodes: every(nodes, () => ({ left: entries, at: idle })),
    } as System,
    actions: (state: System) => every(nodes, (node) => actionsOf(state, node)).flat(),
    next: ({ queues, nodes }: System, [what, node, lock]: Action): System => {
      const { left = 0 } = nodes[node] ?? {};
      const queue = queues[lock] ?? [];
      const become = (at: number, more = left) => set(nodes, node, { left: more, at });
      const added = set(queues, lock, [...queue, node]);
      const removed = set(
        queues,
        lock,
        queue.filter((other) => other !== node),
      );
      if (what === 'ask') return { queues: added, nodes: become(waiting, left - 1) };
      if (what === 'widen') return { queues: added, nodes };
      if (what === 'enter') return { queues, nodes: become(lock) };
      if (what === 'withdraw') return { queues: removed, nodes };
      if (what === 'leave') return { queues: removed, nodes: become(idle) };
      return { queues, nodes: become(down) };
    },
    done: ({ nodes }: System) =>
      nodes.every(({ left, at }) => at === down || (at === idle && left === 0)),
  };
}

it.each(
  quickOf(
    [
      [2, 3, 1, 0, 1_085],
      [2, 3, 1, 1, 2_846],
      [2, 2, 2, 1, 723],
      [1, 3, 1, 1, 194],
    ],
    ([, , , , states]) => states <= 1_000,
  ),
)(
  'the design of a semaphore by leases %i entries, %i nodes, %i stays each, %i crashes: each stay has an entry of its own, and no run ends with one that waits',
  (locks, nodes, entries, crashes, states) => {
    const inside = (system: System) => system.nodes.filter(({ at }) => at >= 0);
    const found = exploreSystem(systemOf(locks, nodes, entries, crashes), {
      properties: [
        always<System>(
          'each stay has an entry of its own',
          (system) => new Set(inside(system).map(({ at }) => at)).size === inside(system).length,
        ),
        sometimes<System>('all entries are in use', (system) => inside(system).length === locks),
      ],
    });
    expect(failing(found)).toEqual([]);
    expect([found.complete, found.states]).toEqual([true, states]);
  },
);
