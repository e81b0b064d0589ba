/** The smallest budget of a trace: a simulated run happens in it, and in no smaller one. */

import type { Protocol } from '@conclave/core/protocol';
import {
  type Chosen,
  choose,
  type Effect,
  type NodeId,
  type Received,
  send,
} from '@conclave/core/protocol';
import { closedLoop, oneShot, simulate, type Workload } from '@conclave/core/simulation';
import type { Topology } from '@conclave/core/topology';
import { complete, star } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { linesText, parseTrace, type Trace, type TraceLine } from '@conclave/core/trace';
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertEvent, cancel, enqueueActions, raise, setup } from 'xstate';
import {
  calls,
  cards,
  centralLock,
  minimalProtocol,
  type Self,
} from '../../../core/src/protocol/examples.contract.js';
import { performed } from '../fixtures/explored.contract.js';
import { Worlds } from '../worlds/worlds.js';
import { budgetOf } from './budget-of.js';
import { follow } from './follow.js';

const never = () => {
  throw new Error('record: true brings a trace');
};

interface Run {
  readonly seed: number;
  readonly order: 'fifo' | 'any';
  readonly loss: number;
  readonly duplication: number;
  readonly crash: boolean;
  readonly groups: readonly (readonly string[])[] | undefined;
}

const runs = fc.record({
  seed: fc.integer({ min: 0, max: 1e6 }),
  order: fc.constantFrom('fifo' as const, 'any' as const),
  loss: fc.constantFrom(0, 0.2),
  duplication: fc.constantFrom(0, 0.2),
  crash: fc.boolean(),
  groups: fc.constantFrom(undefined, [['a'], ['b', 'c']], [['b'], ['a', 'c']]),
});

function recorded(
  protocol: Protocol,
  topology: Topology,
  workload: Workload,
  { seed, order, loss, duplication, crash, groups }: Run,
): Trace {
  const { trace } = simulate({
    protocol: {
      ...protocol,
      channels: { ...protocol.channels, order: 'any', loss: true, duplication: true },
      properties: [],
    },
    topology,
    conditions: { order, delay: { kind: 'uniform', least: 1, most: 9 }, loss, duplication },
    workload,
    faults: [
      ...(crash ? [{ kind: 'crash', node: 'b', at: 11, restartAfter: 17 } as const] : []),
      ...(groups
        ? [
            { kind: 'partition', groups, at: 7, until: 23 } as const,
            { kind: 'partition', groups, at: 25 } as const,
          ]
        : []),
    ],
    until: { steps: 120 },
    seed,
    record: true,
  });
  return trace ?? never();
}

const isLate = ({ event }: TraceLine) => event.kind === 'drop' || event.kind === 'duplicate';
const texts = (lines: readonly TraceLine[]) =>
  lines.map(({ time: _, ...line }) => linesText([line]));
const counts = ['commands', 'losses', 'duplications', 'crashes', 'restarts', 'partitions'] as const;

describe('a simulated run happens in its budget', () => {
  const systems: readonly (readonly [string, Protocol, Topology, () => Workload])[] = [
    [
      'callers',
      { ...calls, channels: { ...calls.channels, order: 'fifo' } },
      complete(3),
      () => oneShot({ type: 'call' }),
    ],
    ['a lock', centralLock, star(3), () => closedLoop({ entries: 2 })],
  ];

  it.each(systems)(
    'of %s, and in none with one command or fault less',
    (_name, protocol, topology, workload) => {
      const reached = new Set<string>();
      assertRuns(
        fc.property(runs, (run) => {
          const trace = recorded(protocol, topology, workload(), run);
          const budget = budgetOf(protocol, trace);
          const { actions, lines } = follow(protocol, topology, trace, budget);
          const { lines: again, visited } = performed(
            new Worlds(protocol, topology, budget),
            actions,
          );
          const told = trace.lines.filter(({ event }) => event.kind !== 'start');
          // a message that is lost behind another one at the end of the trace
          const isOpen = again.length < told.length;
          expect(texts(again.filter((line) => !isLate(line)))).toEqual(
            texts(told.filter((line) => !isLate(line))),
          );
          if (!isOpen) expect(texts(again).sort()).toEqual(texts(told).sort());
          expect(lines).toHaveLength(visited.length - 1);
          // what a crash or a cut has lost could not arrive
          if (run.loss === 0) expect(budget.losses).toBe(0);
          for (const name of counts) {
            if (budget[name] === 0) continue;
            reached.add(name);
            // a message may then be lost later, when it cannot arrive
            if (name === 'losses' && (run.crash || run.groups)) continue;
            expect(() =>
              follow(protocol, topology, trace, { ...budget, [name]: budget[name] - 1 }),
            ).toThrow('is not possible');
          }
          if (budget.order === 'any') {
            reached.add('any');
            // the loss of a later message like it may explain the order as well
            if (budget.losses > 0) return;
            expect(() => follow(protocol, topology, trace, { ...budget, order: 'fifo' })).toThrow(
              'is not possible',
            );
          }
        }),
        2,
        25,
        1,
      );
      if (isWhole) expect([...reached]).toEqual(expect.arrayContaining([...counts]));
    },
  );

  it('of commands with fields: its inputs are those of the trace', () => {
    const inputs = ['b', 'c'].map((to) => ({ type: 'post', to }));
    const workload: Workload = (application) => {
      for (const command of inputs)
        application.later({ kind: 'fixed', ms: 5 }, () => application.tell('b', command));
      return () => {};
    };
    const run: Run = {
      seed: 1,
      order: 'fifo',
      loss: 0,
      duplication: 0,
      crash: false,
      groups: undefined,
    };
    const trace = recorded(postOffice, star(3), workload, run);
    expect(budgetOf(postOffice, trace)).toMatchObject({ commands: 1, initiators: ['b'], inputs });
    expect(follow(postOffice, star(3), trace, budgetOf(postOffice, trace)).steps).toBe(
      trace.lines.length,
    );
  });

  it('of nodes that choose at their start', () => {
    const { trace = never() } = simulate({
      protocol: cards,
      topology: complete(2),
      workload: oneShot({ type: 'play' }),
      seed: 2,
      record: true,
    });
    const { actions } = follow(cards, complete(2), trace, budgetOf(cards, trace));
    const { lines } = performed(new Worlds(cards, complete(2), budgetOf(cards, trace)), actions);
    expect(texts(lines)).toEqual(texts(trace.lines.filter(({ event }) => event.kind !== 'start')));
  });
});

it('what a crash loses of earlier steps is unsent where the network reports crashes, in any order; a loss elsewhere', () => {
  const lines = [
    'a  call  idle → calling  ⇒ b: ping(1)',
    'b  call  idle → calling  ⇒ a: ping(1)',
    'a  crash',
    'b  drop ping(1) from a',
  ];
  const trace = parseTrace(['# nodes: a b', ...lines].join('\n'));
  expect(budgetOf({ ...calls, crashNotice: 'pong' }, trace)).toMatchObject({
    crashes: 1,
    losses: 0,
    unsent: true,
  });
  const { unsent, ...budget } = budgetOf(calls, trace);
  expect([budget.losses, unsent]).toEqual([1, undefined]);
});

describe('a partition that no split is', () => {
  const run: Run = {
    seed: 4,
    order: 'fifo',
    loss: 0,
    duplication: 0,
    crash: false,
    groups: undefined,
  };
  const refused = (groups: readonly (readonly string[])[]) => {
    const trace = recorded(calls, complete(3), oneShot({ type: 'call' }), { ...run, groups });
    return () => follow(calls, complete(3), trace, budgetOf(calls, trace));
  };

  it('is refused: three groups, or a node in none', () => {
    expect(refused([['a'], ['b'], ['c']])).toThrow(
      'this cut is no split of the network into two parts',
    );
    expect(refused([['a'], ['b']])).toThrow('this cut is no split of the network into two parts');
    expect(refused([['a', 'b'], ['c']])).not.toThrow();
  });
});

// Each leaf gives the centre an address for letters, and the centre picks one that it knows: ids in
// commands, choices, timers and events.

type Letter = { type: 'letter'; to: NodeId };

const sorting = setup({
  types: {} as {
    input: Self;
    context: { centre: NodeId; known: readonly NodeId[] };
    events:
      | { type: 'post'; to: NodeId }
      | { type: 'leave'; to: NodeId }
      | Chosen
      | Received<Letter>;
    emitted: Effect<Letter>;
  },
  actions: {
    post: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'post');
      enqueue.emit(send(context.centre, { type: 'letter', to: event.to }));
    }),
    pick: enqueueActions(({ context, event, enqueue }) => {
      assertEvent(event, 'letter');
      const known = context.known.includes(event.to) ? context.known : [...context.known, event.to];
      enqueue.assign({ known });
      enqueue.emit(choose(...known));
    }),
    stop: cancel('later'),
    wait: raise(
      ({ event }) => {
        assertEvent(event, 'chosen');
        return { type: 'leave', to: String(event.value) };
      },
      { id: 'later', delay: 5 },
    ),
    deliver: enqueueActions(({ event, enqueue }) => {
      assertEvent(event, 'leave');
      enqueue.emit(send(event.to, { type: 'letter', to: event.to }));
    }),
  },
  guards: { isCentre: ({ context }) => context.centre === '' },
}).createMachine({
  context: ({ input }) => ({
    centre: input.peers.length === 1 ? (input.peers[0] ?? '') : '',
    known: [],
  }),
  on: {
    post: { actions: 'post' },
    letter: [{ guard: 'isCentre', actions: 'pick' }, {}],
    chosen: { actions: ['stop', 'wait'] },
    leave: { actions: 'deliver' },
  },
});

const postOffice = minimalProtocol(sorting, {
  name: 'post-office',
  topology: needs.star,
  messages: { letter: { fields: ['to'], meaning: 'for you, or to be sent on' } },
  commands: { post: { kind: 'optional', fields: ['to'], meaning: 'send a letter' } },
});
