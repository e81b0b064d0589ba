/** Over which locks and elections a job runs, by what name, and until when. */

import { bully } from '@conclave/algorithms/bully';
import { lelannChangRoberts } from '@conclave/algorithms/lelann-chang-roberts';
import { naimiTrehel } from '@conclave/algorithms/naimi-trehel';
import { memoryNetwork } from '@conclave/core/embedding';
import { complete, ring } from '@conclave/core/topology';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { election } from '../election/election.js';
import { lock } from '../lock/lock.js';
import { locks } from '../lock/locks.js';
import { memoryStore, type Store } from '../store/store.js';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { leased, range, shared } from './once.contract.js';
import { once } from './once.js';
import type { OnceEvent, OnceRun } from './once-types.js';

inVirtualTime();
const start = Date.parse('2026-11-26T12:00:00.500Z');
beforeEach(() => void vi.setSystemTime(start));
const ids = ['a', 'b', 'c'];
const isMissing = () => {
  throw new Error('unreachable: there are three');
};
const second = { every: '1s' } as const;

const pair = () => {
  const network = memoryNetwork(['a', 'b']);
  return ['a', 'b'].map((self) =>
    lock(naimiTrehel(), { self, peers: ['a', 'b'], transport: network.transport(self) }),
  );
};

it('over locks each name has a lock of its own', async () => {
  const network = memoryNetwork(ids);
  const nodes = ids.map((self) =>
    locks({ protocol: leased, self, peers: ids, transport: network.transport(self) }),
  );
  const runs: string[] = [];
  const store = memoryStore();
  const jobs = nodes.flatMap((node) =>
    ['mail', 'report'].map((name) =>
      once(node, name, second, ({ tick }) => runs.push(`${name} ${tick.getTime() - start}`), {
        store,
      }),
    ),
  );
  await pass(3_000);
  expect(new Set(runs)).toEqual(
    new Set(
      ['mail', 'report'].flatMap((name) => range(500, 2_500).map((tick) => `${name} ${tick}`)),
    ),
  );
  expect(runs).toHaveLength(6);
  expect(() => once(nodes[0] ?? isMissing(), '../x', second, () => {})).toThrow(/no name of a job/);
  await Promise.all(jobs.map((job) => job.stop()));
  await Promise.all(nodes.map((node) => node.close()));
});

describe('over one lock', () => {
  it('its holder runs all jobs, also those that come later, until each process has stopped', async () => {
    const [a = isMissing(), b = isMissing()] = pair();
    const runs: string[] = [];
    const job = ({ name, tick, token }: OnceRun) =>
      runs.push(`${name} ${tick.getTime() - start} ${token}`);
    const [mail, other] = [once(a, 'mail', second, job), once(b, 'mail', second, job)];
    await pass(100);
    const report = once(a, 'report', second, job, { skew: 0 });
    await pass(2_000);
    expect(runs).toEqual(['report 500 1', 'mail 1500 1', 'report 1500 1']);
    expect([mail.leads, other.leads, report.leads]).toEqual([true, false, true]);
    await mail.stop();
    await pass(1_000);
    expect(runs.at(-1)).toBe('report 2500 1');
    await report.stop();
    await pass(2_000);
    expect(runs.slice(4)).toEqual(['mail 4500 2']); // b leads; what is within its skew is skipped
    await other.stop();
    expect(await a.tryAcquire()).toBeDefined();
    await Promise.all([a, b].map((each) => each.close()));
  });

  it('stop waits for the run, and completes event$', async () => {
    const [a = isMissing(), b = isMissing()] = pair();
    const told: string[] = [];
    const job = once(a, 'mail', second, () => pass(700), { skew: 0 });
    job.event$.subscribe({ next: ({ type }) => told.push(type), complete: () => told.push('end') });
    await pass(600);
    const stopped = job.stop();
    await pass(100);
    expect(told).toEqual(['leads', 'started']);
    await stopped;
    expect(told).toEqual(['leads', 'started', 'done', 'end']);
    expect(job.stop()).toBe(stopped);
    const again = once(a, 'mail', second, () => {});
    expect(again.next).toEqual(new Date(start + 1500));
    await Promise.all([a, b].map((each) => each.close()));
  });

  it('ends when the lock is closed', async () => {
    const [a = isMissing(), b = isMissing()] = pair();
    const errors: unknown[] = [];
    let isComplete = false;
    const job = once(a, 'mail', second, () => {}, { onError: (error) => errors.push(error) });
    job.event$.subscribe({ complete: () => (isComplete = true) });
    await pass(100);
    await a.close();
    await pass(100);
    expect([isComplete, job.leads, errors]).toEqual([true, false, []]);
    await b.close();
  });

  it('starts no tick that it has claimed when the lock was lost meanwhile; the next leader tells', async () => {
    const [a = isMissing(), b = isMissing()] = pair();
    const ticks = memoryStore();
    const store: Store = {
      read: (name) => ticks.read(name),
      write: async (...texts) => {
        const isWritten = await ticks.write(...texts);
        if (texts[1].includes('"node":"a","done":false')) await a.close();
        return isWritten;
      },
    };
    const runs: string[] = [];
    const told: OnceEvent[] = [];
    once(a, 'mail', second, () => runs.push('a'), { store, catchUp: 'all' });
    await pass(10);
    const other = once(b, 'mail', second, () => runs.push('b'), { store, catchUp: 'all' });
    other.event$.subscribe((event) => told.push(event));
    await pass(1_000);
    expect([runs, told.slice(0, 2)]).toEqual([
      [],
      [
        { type: 'leads', token: 2 },
        { type: 'interrupted', tick: new Date(start + 500), node: 'a' },
      ],
    ]);
    await pass(1_000);
    expect(runs).toEqual(['b']);
    await b.close();
  });

  it('notices a clock that was set within a minute', async () => {
    const [a = isMissing(), b = isMissing()] = pair();
    const runs: OnceRun[] = [];
    const job = once(a, 'mail', { at: '0 3 * * *' }, (run) => runs.push(run));
    await pass(100);
    expect(job.next).toEqual(new Date('2026-11-27T03:00:00Z'));
    vi.setSystemTime(Date.parse('2026-11-27T03:00:01Z')); // or the machine was asleep
    await pass(59_000);
    expect(runs.map(({ tick }) => tick)).toEqual([]);
    await pass(1_000);
    expect(runs.map(({ tick }) => tick)).toEqual([new Date('2026-11-27T03:00:00Z')]);
    await Promise.all([a, b].map((each) => each.close()));
  });

  it('goes on after a job that throws', async () => {
    const errors: unknown[] = [];
    const { events, closeAll } = shared({
      options: { store: memoryStore(), catchUp: 'all', onError: (error) => errors.push(error) },
      job: () => {
        throw new Error('no paper');
      },
    });
    await pass(2_000);
    expect(errors).toEqual([new Error('no paper'), new Error('no paper')]);
    expect(events.map(({ type }) => type)).toEqual([
      'leads',
      'started',
      'failed',
      'started',
      'failed',
    ]);
    await closeAll();
  });
});

describe('over an election', () => {
  it('by leases: its leader runs the job, with its token', async () => {
    const network = memoryNetwork(ids);
    const nodes = ids.map((self) =>
      election({ by: 'lease', lease: 2000, self, nodes: ids, transport: network.transport(self) }),
    );
    const runs: OnceRun[] = [];
    const jobs = nodes.map((node) => once(node, 'mail', second, (run) => runs.push(run)));
    await pass(4_000);
    nodes.find(({ leader }) => leader?.leadership)?.resign();
    await pass(4_000);
    const ticks = runs.map(({ tick }) => tick.getTime() - start);
    expect(new Set(ticks).size).toBe(ticks.length);
    expect(ticks.length).toBeGreaterThanOrEqual(4);
    const tokens = runs.map(({ token }) => Number(token));
    expect(tokens).toEqual(tokens.toSorted((one, other) => one - other));
    expect(new Set(tokens).size).toBe(2);
    await Promise.all(nodes.map((node) => node.close()));
    expect(jobs.map(({ leads }) => leads)).toEqual([false, false, false]);
  });

  it('without a token it needs a store', async () => {
    const topology = ring(ids);
    const network = memoryNetwork(complete(ids));
    const nodes = ids.map((self) =>
      election(lelannChangRoberts, { self, topology, transport: network.transport(self) }),
    );
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const runs: OnceRun[] = [];
    const store = memoryStore();
    for (const node of nodes) {
      once(node, 'unsafe', second, (run) => runs.push(run), { onError });
      once(node, 'again', second, (run) => runs.push(run), {
        store,
        interrupted: 'again',
        onError,
      });
      once(node, 'mail', second, (run) => runs.push(run), { store, onError });
    }
    await nodes[0]?.elect();
    await pass(2_000);
    expect(errors).toMatchObject([{ code: 'assumption' }, { code: 'assumption' }]);
    expect(String(errors[0])).toMatch(/once 'unsafe'.*no fencing token.*Give a store/);
    expect(runs.map(({ name, token }) => [name, token])).toEqual([
      ['mail', undefined],
      ['mail', undefined],
    ]);
    await Promise.all(nodes.map((node) => node.close()));
  });
});

describe('refuses', () => {
  const [a = isMissing()] = pair();

  it.each([
    [{ catchUp: 'last' }, /catchUp: 'last' without a store/],
    [{ interrupted: 'again' }, /interrupted: 'again' without a store/],
    [{ catchUp: 'some' }, /catchUp is 'some'/],
    [{ cathUp: 'all' }, /Did you mean 'catchUp'/],
    [{ store: {} }, /store is an object/],
    [{ skew: -1 }, /skew is -1/],
  ])('the options %o', (options, says) => {
    expect(() => once(a, 'mail', second, () => {}, options as object)).toThrow(says);
  });

  it('what is no lock, no job, no name, and a name in use', () => {
    expect(() => once({} as typeof a, 'mail', second, () => {})).toThrow(/no lock and no election/);
    expect(() => once(bully() as never, 'mail', second, () => {})).toThrow(
      /no lock and no election/,
    );
    expect(() => once(a, 'mail', second, 'job' as never)).toThrow(/job is 'job'/);
    expect(() => once(a, 'a b', second, () => {})).toThrow(/once: 'a b' is no name of a job/);
    once(a, 'mail', second, () => {});
    expect(() => once(a, 'mail', second, () => {})).toThrow(/has a job of this name already/);
  });
});
