/** What locks and elections say of their connections, and what Prometheus reads of it. */

import { bully } from '@conclave/algorithms/bully';
import { memoryNetwork, type Transport, type TransportStatus } from '@conclave/core/embedding';
import { ConclaveError } from '@conclave/core/protocol';
import { type ObservedValueOf, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { election } from './election/election.js';
import { lock, locks } from './lock/lock-choice.js';
import { semaphore } from './lock/semaphore.js';
import { prometheusText } from './prometheus.js';

const nodes = ['a', 'b', 'c'];

function connected() {
  const [peers, status] = [
    new Subject<ObservedValueOf<NonNullable<Transport['peers$']>>>(),
    new Subject<TransportStatus>(),
  ];
  const transport = { ...memoryNetwork(nodes).transport('a'), peers$: peers, status$: status };
  return { peers, status, transport };
}

it('names whom a lock waits for, whom it cannot reach, and the state of its transport', async () => {
  const { peers, status, transport } = connected();
  const one = lock({ tolerate: 'crash', self: 'a', nodes, transport });
  await Promise.resolve(); // nothing has to admit it
  expect(one.health).toEqual({
    state: 'working',
    awaited: [],
    transport: 'up',
    unreachable: [],
    refusals: 0,
  });
  const waiting = one.acquire().catch((error: unknown) => error);
  peers.next({ peer: 'c', reachable: false });
  peers.next({ peer: 'b', reachable: false });
  status.next({ state: 'down', reason: 'the cable' });
  expect(one.health).toMatchObject({
    awaited: ['b', 'c'],
    transport: 'down',
    unreachable: ['b', 'c'],
  });
  peers.next({ peer: 'b', reachable: true });
  status.next({ state: 'resumed', gap: true });
  expect(one.health).toMatchObject({ transport: 'up', unreachable: ['c'] });
  await one.close();
  expect(one.health).toMatchObject({ state: 'closed', transport: 'closed' });
  expect(await waiting).toMatchObject({ code: 'closed' });
});

it('tells of nodes that have not admitted it, over a transport whose nodes may come back', async () => {
  const { transport, peers, status } = connected();
  const restarting = { ...transport, guarantees: { ...transport.guarantees, restarts: true } };
  const shop = locks({ tolerate: 'none', self: 'a', nodes, transport: restarting });
  peers.next({ peer: 'c', reachable: false });
  status.next({ state: 'down', reason: 'the cable' });
  expect(shop.open('late').health).toMatchObject({ transport: 'down', unreachable: ['c'] });
  peers.next({ peer: 'c', reachable: true });
  status.next({ state: 'resumed', gap: false });
  expect(shop.health).toEqual({
    state: 'joining',
    awaited: ['b', 'c'],
    transport: 'up',
    unreachable: [],
    refusals: 0,
  });
  await shop.close();
  expect(shop.health).toMatchObject({ state: 'closed', transport: 'closed' });
});

it('is there for elections, too', async () => {
  const made = [
    election(bully(), { self: 'a', nodes, transport: connected().transport }),
    election({ by: 'lease', self: 'a', nodes, transport: connected().transport }),
  ];
  await Promise.resolve();
  for (const one of made) {
    expect(one.health).toMatchObject({ state: 'working', transport: 'up', refusals: 0 });
    await one.close();
    expect(one.health).toMatchObject({ state: 'closed', transport: 'closed' });
  }
});

describe('a node that has refused frames of others', () => {
  const options = (transport: Transport) => ({ self: 'a', nodes, transport, onError: () => {} });
  const made = {
    'of a lock': (at: Transport) => lock({ tolerate: 'crash', ...options(at) }),
    'of locks': (at: Transport) => locks({ tolerate: 'crash', ...options(at) }),
    'of a lock among locks': (at: Transport) =>
      locks({ tolerate: 'crash', ...options(at) }).open('shop'),
    'of a semaphore': (at: Transport) => semaphore({ entries: 2, ...options(at) }),
    'of a semaphore by leases': (at: Transport) =>
      semaphore({ entries: 2, tolerate: 'crash', ...options(at) }),
    'of an election': (at: Transport) => election(bully(), options(at)),
    'of an election by leases': (at: Transport) => election({ by: 'lease', ...options(at) }),
  };
  const stray = new ConclaveError('refused', 'Node a has refused 1 frames as malformed');
  const own = new ConclaveError('refused', 'Node a is refused by node b', 'Look at it.');

  it.each(Object.entries(made))(
    '%s works, and is refused only where that ends it',
    async (_, make) => {
      const ends = [
        { reason: 'the cable is cut', errors: [], is: { state: 'closed', refusals: 1 } },
        {
          reason: own.message,
          errors: [own],
          is: { state: 'refused', reason: own.message, refusals: 2 },
        },
      ];
      for (const { reason, errors, is } of ends) {
        const { transport, status } = connected();
        const errors$ = new Subject<ConclaveError>();
        const one = make({ ...transport, errors$ });
        await Promise.resolve();
        errors$.next(stray);
        expect(one.health).toMatchObject({ state: 'working', refusals: 1 });
        for (const error of errors) errors$.next(error);
        status.next({ state: 'closed', reason });
        expect(one.health).toEqual({
          ...{ awaited: [], transport: 'closed', unreachable: [] },
          ...is,
        });
      }
    },
  );
});

/**
 * Reads the text format of Prometheus, version 0.0.4: by series, the value; by family, the type.
 */
function readMetrics(text: string) {
  expect(text.endsWith('\n')).toBe(true);
  const [series, types] = [new Map<string, number>(), new Map<string, string>()];
  for (const line of text.slice(0, -1).split('\n')) {
    const [, family, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (family !== undefined && type !== undefined) types.set(family, type);
    else if (!line.startsWith('# HELP ')) {
      const [, name = '', labels = '', value] =
        /^([a-z_]+)(\{(?:[a-z]+="(?:[^"\\\n]|\\["\\n])*",?)*\})? ([0-9.e+-]+)$/.exec(line) ?? [];
      expect([
        line,
        types.has(name) || types.has(name.replace(/_(bucket|sum|count)$/, '')),
      ]).toEqual([line, true]);
      expect([line, series.has(name + labels)]).toEqual([line, false]);
      series.set(name + labels, Number(value));
    }
  }
  return { series, types };
}

it('is text that Prometheus reads', async () => {
  const network = memoryNetwork(['a', 'b']);
  const [a, b] = ['a', 'b'].map((self) =>
    lock({
      tolerate: 'none',
      self,
      nodes: ['a', 'b'],
      transport: network.transport(self),
      name: 'shop "1"\\',
    }),
  );
  if (!a || !b) return expect.unreachable();
  await a.run(() => {});
  const held = await b.acquire();
  const { series, types } = readMetrics(prometheusText([a, b]));
  const of = (node: string, more = '') => `{node="${node}",name="shop \\"1\\"\\\\"${more}}`;
  expect(series.get(`conclave_lock_calls_total${of('a', ',outcome="released"')}`)).toBe(1);
  expect(series.get(`conclave_lock_calls_total${of('b', ',outcome="released"')}`)).toBe(0);
  expect(series.get(`conclave_lock_held${of('b')}`)).toBe(1);
  const states = ['working', 'joining', 'refused', 'closed'].map((state) =>
    series.get(`conclave_lock_state${of('b', `,state="${state}"`)}`),
  );
  expect(states).toEqual([1, 0, 0, 0]);
  expect(series.get(`conclave_lock_wait_seconds_bucket${of('a', ',le="+Inf"')}`)).toBe(1);
  expect(series.get(`conclave_lock_wait_seconds_count${of('a')}`)).toBe(1);
  expect(types.get('conclave_lock_wait_seconds')).toBe('histogram');
  const buckets = [...series]
    .filter(([name]) => name.startsWith('conclave_lock_hold_seconds_bucket{node="a"'))
    .map(([, value]) => value);
  expect(buckets).toEqual(buckets.toSorted((x, y) => x - y));
  expect(readMetrics(prometheusText([])).series.size).toBe(0);
  expect(() => prometheusText([a, a])).toThrow('Two locks have the labels {node="a"');
  held.release();
  await Promise.all([a.close(), b.close()]);
});
