import { explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import { atMost, type LocalState, notify, type Protocol, send } from '@conclave/core/protocol';
import { star } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, type EventObject, emit } from 'xstate';
import { costOf, expectBounds, runsUnderLoad } from '../../../contract/cost.contract.js';
import { propertyNamed } from '../../../contract/findings.contract.js';
import { takeAll, withMachine } from '../../../contract/machines.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import {
  acknowledgedClient,
  acknowledgingCoordinator,
  client,
  coordinator,
} from './central-coordinator.js';
import { centralCoordinator } from './protocol.js';

const plain = centralCoordinator();
const acknowledged = centralCoordinator({ acknowledge: true });
const mutant = (refuted: string, protocol: Protocol) => ({ protocol, refuted });
const topologies = [2, 3, 4, 5, 6].map((n) => star(n));
const costs = [2, 3, 5, 9].map((n) => star(n));
const systems = (budget: object) => [
  { topology: star(3), budget: { ...budget, commands: 2 } },
  { topology: star(4), budget: { ...budget, commands: 1 } },
];

mutualExclusionContract({
  protocol: plain,
  topologies,
  small: [
    { topology: star(3), budget: { commands: 2 } },
    { topology: star(4), budget: { commands: 1 } },
  ],
  explored: [
    ['2 clients twice, 3 once', systems({}), {}, 321],
    ['2 clients twice, 3 once, FIFO', systems({ order: 'fifo' }), {}, 303],
    [star(5), { commands: 2 }, 16_937],
  ],
  costs,
  mutants: {
    'the coordinator grants while it is busy': mutant(
      'star:3, 6 steps: at most one node is in the critical section',
      withMachine(
        plain,
        coordinator.provide({
          actions: {
            enqueue: emit(({ context, event }) =>
              send(event.from, { type: 'grant', entry: context.entries + 1 }),
            ),
          },
        }),
        'coordinator',
      ),
    ),
    'the first stays in the queue': mutant(
      'star:3, 7 steps: the queue has each client once from its request to its grant, in the order of arrival',
      withMachine(
        plain,
        coordinator.provide({
          actions: {
            grantFirst: emit(({ context }) =>
              send(context.queue[0] ?? '', { type: 'grant', entry: context.entries + 1 }),
            ),
          },
        }),
        'coordinator',
      ),
    ),
  },
});

mutualExclusionContract({
  protocol: acknowledged,
  topologies,
  small: [
    { topology: star(2), budget: { commands: 1 } },
    { topology: star(3), budget: { commands: 1, initiators: ['b'] } },
  ],
  explored: [
    ['2 clients twice, 3 once, false alarms', systems({}), {}, 17_402],
    ['2 clients twice, 3 once, FIFO, false alarms', systems({ order: 'fifo' }), {}, 9_025],
    [
      '2 clients twice, 3 once, messages take at most a quarter of the timeout',
      systems({ time: { kind: 'exact', delay: [0, 250] } }),
      {},
      14_942,
    ],
  ],
  costs,
});

describe('central-coordinator rules', () => {
  const after = (machine: AnyStateMachine, state: LocalState, ...events: EventObject[]) =>
    takeAll(machine, 'm', state, events);
  const acquire = { type: 'acquire' };
  const release = { type: 'release' };
  const from = (from: string, type: string) => ({ type, from });
  const grant = { type: 'grant', from: 'a', entry: 1 };
  const clients = [
    [client, start(client, 'b', { coordinator: 'a' }).state],
    [acknowledgedClient, start(acknowledgedClient, 'b', { coordinator: 'a', timeout: 1000 }).state],
  ] as const;
  const coordinators = [
    [coordinator, start(coordinator, 'a', {}).state],
    [acknowledgingCoordinator, start(acknowledgingCoordinator, 'a', {}).state],
  ] as const;
  const [[, idle]] = [clients[1]];
  const [[, free]] = [coordinators[1]];

  it('[CC1] a client that wants to enter sends a request to the coordinator', () => {
    for (const [machine, first] of clients) {
      const { state, effects } = after(machine, first, acquire);
      expect(state.tags).toEqual(['waiting']);
      expect(effects[0]).toEqual(send('a', { type: 'request' }));
    }
  });

  it('[CC2] a free coordinator grants at once; a busy one queues', () => {
    for (const [machine, first] of coordinators) {
      const { state, effects } = after(machine, first, from('b', 'request'));
      expect(effects).toEqual([send('b', { type: 'grant', entry: 1 })]);
      const busy = after(machine, state, from('c', 'request'), from('d', 'request'));
      expect(busy.effects).not.toContainEqual(send('d', { type: 'grant', entry: 2 }));
      expect(busy.state).toMatchObject({ value: 'busy', context: { queue: ['c', 'd'] } });
    }
  });

  it('[CC3] a client with a grant enters', () => {
    for (const [machine, first] of clients)
      expect(after(machine, first, acquire, grant).state.value).toBe('held');
  });

  it('[CC4] a client that leaves sends released', () => {
    for (const [machine, first] of clients) {
      const { state, effects } = after(machine, first, acquire, grant, release);
      expect(effects).toEqual([send('a', { type: 'released' })]);
      expect(state.tags).toEqual([]);
    }
  });

  it('[CC5] when a client has left, the first of the queue is granted; with an empty queue the coordinator is free', () => {
    for (const [machine, first] of coordinators) {
      const next = after(
        machine,
        first,
        from('b', 'request'),
        from('c', 'request'),
        from('b', 'released'),
      );
      expect(next.effects).toEqual([send('c', { type: 'grant', entry: 2 })]);
      expect(next.state).toMatchObject({ value: 'busy', context: { queue: [] } });
      expect(after(machine, next.state, from('c', 'released')).state.value).toBe('free');
    }
  });

  it('[CC6] the coordinator sends queued to a client that it queues', () => {
    const { effects } = after(
      acknowledgingCoordinator,
      free,
      from('b', 'request'),
      from('c', 'request'),
    );
    expect(effects).toEqual([send('c', { type: 'queued' })]);
    expect(after(acknowledgedClient, idle, acquire, from('a', 'queued')).state.value).toEqual({
      wanted: 'queued',
    });
    expect(after(acknowledgedClient, idle, acquire, grant, from('a', 'queued')).state.value).toBe(
      'held',
    );
  });

  it('[CC7] a client inquires after a timeout in the queue, and is answered while it is there', () => {
    const queued = after(acknowledgedClient, idle, acquire, from('a', 'queued')).state;
    const [timer] = queued.timers;
    expect(timer?.delay).toBe(1000);
    const { state, effects } = after(acknowledgedClient, queued, timer?.event ?? acquire);
    expect(state.value).toEqual({ wanted: 'asking' });
    expect(effects).toContainEqual(send('a', { type: 'inquire' }));
    const busy = after(
      acknowledgingCoordinator,
      free,
      from('b', 'request'),
      from('c', 'request'),
    ).state;
    expect(after(acknowledgingCoordinator, busy, from('c', 'inquire')).effects).toEqual([
      send('c', { type: 'queued' }),
    ]);
    for (const state of [busy, free])
      expect(after(acknowledgingCoordinator, state, from('b', 'inquire')).effects).toEqual([]);
  });

  it('[CC8] a client without an answer reports it and gives up', () => {
    const asking = after(acknowledgedClient, idle, acquire).state;
    const { state, effects } = after(
      acknowledgedClient,
      asking,
      asking.timers[0]?.event ?? acquire,
    );
    expect(effects).toContainEqual(notify({ type: 'coordinator-silent' }));
    expect(effects.some(({ type }) => type === 'send')).toBe(false);
    expect(state).toMatchObject({ value: { released: 'unserved' }, tags: ['unserved'] });
    expect(after(acknowledgedClient, state, acquire).state.value).toEqual({ wanted: 'asking' });
  });

  it('[CC9] a late grant is returned, a late queued ignored; a client that requests again keeps its place', () => {
    const late = after(acknowledgedClient, idle, grant);
    expect(late.effects).toEqual([send('a', { type: 'released' })]);
    expect(after(acknowledgedClient, idle, from('a', 'queued')).effects).toEqual([]);
    const again = after(
      acknowledgingCoordinator,
      free,
      from('b', 'request'),
      from('c', 'request'),
      from('c', 'request'),
    );
    expect(again.state.context.queue).toEqual(['c']);
    expect(again.effects).toEqual([send('c', { type: 'queued' })]);
    expect(
      after(acknowledgedClient, idle, acquire, from('a', 'queued'), from('a', 'queued')).state
        .value,
    ).toEqual({ wanted: 'queued' });
  });
});

describe('central-coordinator cost', () => {
  it('is 3 in every interleaving; 2 of them precede the entry', () => {
    const bounds = [
      atMost(3, { per: 'acquire' }),
      atMost(2, { per: 'acquire', of: ['request', 'grant'] }),
    ];
    const tighter = [
      atMost(2, { per: 'acquire' }),
      atMost(1, { per: 'acquire', of: ['request', 'grant'] }),
    ];
    expectBounds(plain, star(4), { commands: 2 }, bounds, tighter);
    expect(costOf(plain, 4)).toEqual(atMost(3, { per: 'acquire' }));
  });

  it('with acknowledge it is 1 more for a queued client, as long as no timeout passes', () => {
    const unhurried = centralCoordinator({ acknowledge: true, timeout: 1_000_000 });
    for (const { n, messages, exclusion } of runsUnderLoad(unhurried, star, 20)) {
      const entries = 3 * (n - 1);
      const { queued = 0, ...others } = messages;
      expect(exclusion.entries).toHaveLength(entries);
      expect(others).toEqual({ grant: entries, released: entries, request: entries });
      expect(queued).toBeLessThan(entries);
    }
  });

  it('with acknowledge there is no bound: queued clients inquire as long as another one stays in the critical section', () => {
    const bound = atMost(100, { per: 'acquire' });
    const found = explore(acknowledged, star(3), {
      time: { kind: 'exact', delay: [0, 250] },
      properties: [bound],
    });
    expect(propertyNamed(found.properties, bound.name).verdict).toBe('violated');
    expect(costOf(acknowledged, 3)).toBeUndefined();
  });
});
