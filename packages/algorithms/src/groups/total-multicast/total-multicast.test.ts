import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start } from '@conclave/core/internal';
import {
  type LocalState,
  type NodeView,
  notify,
  type Property,
  type Protocol,
  send,
} from '@conclave/core/protocol';
import { oneShot, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { expectTight } from '../../contract/cost.contract.js';
import { everyInterleavingOfVariant } from '../../contract/explored.contract.js';
import { failing, propertyNamed } from '../../contract/findings.contract.js';
import { takeAll, withMachine } from '../../contract/machines.contract.js';
import { sharedContract } from '../../contract/shared.contract.js';
import { failingOverReliable } from '../../contract/sweep.contract.js';
import { multicastContract } from '../multicast.contract.js';
import {
  agreement,
  type Command,
  causalOrder,
  fifoOrder,
  integrity,
  totalOrder,
  validity,
} from '../multicast.js';
import { breakingRun, numberedAsTheyCome } from '../weaker-orders.js';
import { totalMulticast } from './protocol.js';
import { type Event, electingMachine, machine } from './total-multicast.js';

const elected = totalMulticast();
const given = totalMulticast({ sequencer: 'a' });
const mutant = (protocol: typeof given) => (refuted: string, changed: AnyStateMachine) => ({
  protocol: withMachine(protocol, changed, 'member'),
  refuted,
});
const ofElected = mutant(elected);
const isFollowing = ({ id }: NodeView) => id !== 'a';
const multicast: Command = { type: 'multicast', data: 'x' };

multicastContract({
  protocol: elected,
  topologies: [2, 3, 4].map((n) => complete(n)),
  survives: false,
  small: [{ topology: complete(2), budget: {} }],
  explored: [
    [complete(2), {}, 225],
    [complete(2), { commands: 2 }, 27_305],
    [complete(3), { initiators: ['a', 'b'] }, 979],
    // `npm run verify` explores 3 members with 2 senders of 2 equal multicasts, and 4 members with
    // 2 senders.
    [complete(3), {}, 41_897],
  ],
  mutants: {
    'every member takes itself for the sequencer': ofElected(
      'complete:2, 0 steps: at most one member is the sequencer',
      electingMachine.provide({ guards: { isSequencer: () => true } }),
    ),
  },
});

describe('C4t total-multicast with a given sequencer', () => {
  everyInterleavingOfVariant(
    given,
    [
      [complete(2), { commands: 2 }, 6_923],
      [complete(3), {}, 8_985],
      [
        'sequencer given, 3 members, 2 senders, a message duplicated',
        [
          { topology: complete(3), budget: { initiators: ['a', 'b'], duplications: 1 } },
          { topology: complete(3), budget: { initiators: ['b', 'c'], duplications: 1 } },
        ],
        {},
        3_236,
      ],
      [complete(3), { initiators: ['b', 'c'], commands: 2, inputs: [multicast] }, 16_499],
      [complete(4), { initiators: ['b', 'c'] }, 905],
    ],
    {
      'the sequencer numbers requests as they come': {
        protocol: numberedAsTheyCome,
        refuted:
          'complete:2, 3 steps: the messages of each sender are delivered in the order in which it multicast them',
      },
    },
  );

  sharedContract(
    given,
    [complete(3)],
    () => oneShot(multicast, { after: { kind: 'uniform', least: 0, most: 20 } }),
    [{ topology: complete(2), budget: {} }],
  );
});

describe('total-multicast rules', () => {
  const nodes = ['a', 'b', 'c'];
  const first = (whole: AnyStateMachine, self: string, sequencer: string | null): LocalState => {
    const next = nodes[(nodes.indexOf(self) + 1) % 3];
    return start(whole, self, {
      self,
      peers: nodes.filter((id) => id !== self),
      sequencer,
      election: { self, next: next ?? '' },
    }).state;
  };
  const after = (whole: AnyStateMachine, state: LocalState, ...events: Event[]) =>
    takeAll(whole, 'x', state, events);
  const given = (self: string, ...events: Event[]) =>
    after(machine, first(machine, self, 'b'), ...events);
  const request = (from: string, sequence: number): Event => ({
    type: 'request',
    sequence,
    data: `${from}${sequence}`,
    from,
  });
  const numbered = (number: number, sender: string, sequence: number): Event => ({
    type: 'numbered',
    number,
    sender,
    sequence,
    data: `${sender}${sequence}`,
    from: 'b',
  });
  const told = (number: number, sender: string, sequence: number, data = `${sender}${sequence}`) =>
    ['a', 'c'].map((peer) => send(peer, { type: 'numbered', number, sender, sequence, data }));
  const deliver = (from: string, sequence: number, data = `${from}${sequence}`) =>
    notify({ type: 'deliver', from, sequence, data });

  it('[TS1] a member that does not know the sequencer keeps its multicasts, and starts the election with the first', () => {
    const { state, effects } = after(electingMachine, first(electingMachine, 'b', null), multicast);
    expect(effects).toEqual([send('c', { type: 'election-election', id: 'b' })]);
    expect(state.context).toMatchObject({
      sequence: 1,
      pending: [{ sender: 'b', sequence: 1, data: 'x' }],
    });
    const again = after(electingMachine, state, multicast);
    expect(again.effects).toEqual([]);
    expect(again.state.context.pending).toHaveLength(2);
  });

  it('[TS2] the member that is elected is the sequencer, and numbers what it has kept', () => {
    const kept = after(electingMachine, first(electingMachine, 'c', null), multicast, multicast);
    const { state, effects } = after(electingMachine, kept.state, {
      type: 'election-election',
      id: 'c',
      from: 'b',
    });
    expect([...state.tags]).toContain('sequencer');
    expect(effects.filter(({ type }) => type === 'notify')).toEqual([
      deliver('c', 1, 'x'),
      deliver('c', 2, 'x'),
    ]);
  });

  it('[TS2] every other member requests numbers for what it has kept', () => {
    const larger: Event = { type: 'election-election', id: 'c', from: 'c' };
    const kept = after(
      electingMachine,
      first(electingMachine, 'a', null),
      larger,
      multicast,
      multicast,
    );
    const { state, effects } = after(electingMachine, kept.state, {
      type: 'election-elected',
      id: 'c',
      from: 'c',
    });
    expect(effects).toEqual([
      send('b', { type: 'election-elected', id: 'c' }),
      ...[1, 2].map((sequence) => send('c', { type: 'request', sequence, data: 'x' })),
    ]);
    expect(state.context).toMatchObject({ sequence: 2, pending: [] });
  });

  it('[TS3] requests a number for each multicast', () => {
    expect(given('a', multicast, multicast).effects).toEqual([
      send('b', { type: 'request', sequence: 2, data: 'x' }),
    ]);
  });

  it('[TS4] the sequencer numbers its own multicasts and the requests, those of each member in their order', () => {
    expect(given('b', multicast).effects).toEqual([...told(1, 'b', 1, 'x'), deliver('b', 1, 'x')]);
    const early = given('b', request('c', 2));
    expect(early.effects).toEqual([]);
    const { effects } = after(machine, early.state, request('c', 1));
    expect(effects).toEqual([
      ...told(1, 'c', 1),
      deliver('c', 1),
      ...told(2, 'c', 2),
      deliver('c', 2),
    ]);
  });

  it('[TS5] a member delivers in the order of the numbers, also before it knows the sequencer', () => {
    const states: [AnyStateMachine, LocalState][] = [
      [machine, first(machine, 'a', 'b')],
      [electingMachine, first(electingMachine, 'a', null)],
    ];
    for (const [whole, state] of states) {
      const delayed = after(whole, state, numbered(2, 'a', 1), numbered(3, 'c', 2));
      expect(delayed.effects).toEqual([]);
      expect(after(whole, delayed.state, numbered(1, 'c', 1)).effects).toEqual([
        deliver('c', 1),
        deliver('a', 1),
        deliver('c', 2),
      ]);
    }
  });

  it('[TS6] ignores what comes a second time', () => {
    for (const [self, event, again] of [
      ['b', request('c', 1), request('c', 1)],
      ['b', request('c', 2), request('c', 2)],
      ['a', numbered(1, 'c', 1), numbered(1, 'c', 1)],
      ['a', numbered(2, 'c', 2), numbered(2, 'c', 2)],
    ] as const) {
      const { state } = given(self, event);
      expect(after(machine, state, again)).toEqual({ state, effects: [] });
    }
  });
});

describe('total-multicast cost', () => {
  it('is n messages per multicast, in every interleaving, and n−1 for the sequencer’s own', () => {
    for (const n of [2, 3])
      for (const [initiators, most] of [
        [['b'], n],
        [['a'], n - 1],
      ] as const)
        expectTight(given, complete(n), { initiators, commands: 2 }, most, 'multicast');
  });

  proof('is n²−1 for a multicast of each of n members, for groups of 2 to 20', () => {
    for (const n of [2, 3, 4, 8, 20]) {
      const { messages } = simulate({
        protocol: elected,
        topology: complete(n),
        workload: oneShot(multicast),
      });
      expect({ request: messages.request, numbered: messages.numbered }).toEqual({
        request: n - 1,
        numbered: n * (n - 1),
      });
    }
  });
});

proof(
  'total-multicast over links that retransmit: with one message in ten lost, all members deliver all, in order',
  () => {
    const workload = () => oneShot(multicast, { after: { kind: 'uniform', least: 0, most: 50 } });
    expect(failingOverReliable(elected, complete(4), 10, workload, 0)).toEqual([]);
  },
);

describe('total-multicast assumptions, and weaker orders', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const shown = (...[protocol, n, order, budget]: [Protocol, number, Property, object]) => {
    const topology = complete(n);
    const trace = breakingRun({ protocol, topology, order, budget });
    expect(trace && replay(protocol, topology, trace)).toEqual({ steps: trace?.lines.length });
    const text = linesText(trace?.lines ?? [])
      .replaceAll('sender.', '')
      .replaceAll(' & receiver', '')
      .replaceAll(/ {2,}/g, '  ');
    expect(page).toContain(text);
    return trace?.lines.length;
  };

  it('total order does not give FIFO order, and so no causal order, if requests are numbered as they come', () => {
    const { complete: isComplete, properties } = explore(numberedAsTheyCome, complete(2), {
      initiators: ['b'],
      commands: 2,
    });
    expect(isComplete).toBe(true);
    const verdictOf = ({ name }: Property) => propertyNamed(properties, name).verdict;
    expect([totalOrder, integrity, agreement, fifoOrder, causalOrder].map(verdictOf)).toEqual([
      'holds',
      'holds',
      'holds',
      'violated',
      'violated',
    ]);
    expect(shown(numberedAsTheyCome, 2, causalOrder, { initiators: ['b'], commands: 2 })).toBe(3);
  });

  proof('over FIFO channels, requests numbered as they come give causal order, too', () => {
    for (const [n, initiators] of [
      [2, ['a', 'b']],
      [3, ['b', 'c']],
    ] as const) {
      const found = explore(numberedAsTheyCome, complete(n), {
        initiators,
        commands: 2,
        order: 'fifo',
      });
      expect([found.complete, ...failing(found)]).toEqual([true]);
    }
  });

  it.each([
    ['the crash of the sequencer', { crashes: 1, atomicSteps: true }, validity, 2],
    ['a lost request', { losses: 1, initiators: ['b'] }, validity, 2],
    [
      'the restart of a member',
      {
        crashes: 1,
        restarts: 1,
        commands: 2,
        initiators: ['b'],
        mayCrash: isFollowing,
        atomicSteps: true,
      },
      validity,
      5,
    ],
  ] as const)('%s: the shortest run, as on the page', (_what, budget, broken, steps) => {
    expect(shown(given, 2, broken, budget)).toBe(steps);
  });

  proof(
    'the crash of another member does no harm to the others, nor that of the sequencer to any order',
    () => {
      const budget = { crashes: 1, initiators: ['a', 'b'], mayCrash: isFollowing } as const;
      const others = explore(given, complete(3), {
        ...budget,
        properties: [integrity, totalOrder, causalOrder, validity, agreement],
      });
      expect([others.complete, ...failing(others)]).toEqual([true]);
      for (const protocol of [given, elected]) {
        const properties = [integrity, totalOrder, causalOrder];
        const found = explore(protocol, complete(3), {
          crashes: 1,
          initiators: ['b', 'c'],
          properties,
        });
        expect([found.complete, ...failing(found)]).toEqual([
          true,
          'no node waits in a quiescent state',
        ]);
      }
    },
  );
});
