import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { type LocalState, type NodeId, type Received, send } from '@conclave/core/protocol';
import { simulate, totalMessages, type Workload } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, parseTrace, replay } from '@conclave/core/trace';
import { proof, sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { and, assign, type EventObject, emit, type MachineContext } from 'xstate';
import { everyInterleaving } from '../../contract/explored.contract.js';
import { mutantOf, takeAll, withMachine, withState } from '../../contract/machines.contract.js';
import { sharedContract } from '../../contract/shared.contract.js';
import { conditionsFor, fault, seedsTo } from '../../contract/sweep.contract.js';
import {
  everyMessageHandled,
  ignoringUnexpected,
  outcomeOf,
  quiescence,
} from '../../mutual-exclusion/outcome.contract.js';
import { virtualTree } from './protocol.js';
import { type Event, type Message, machine, registryMachine } from './virtual-tree.js';

interface ChurnOptions {
  /** The share of the nodes that leave. */
  readonly leaving: number;
  /**
   * The mean time until a node joins, and that from its first place in the tree until it leaves, in
   * milliseconds. Default 30.
   */
  readonly mean?: number;
}

function churn({ leaving, mean = 30 }: ChurnOptions): Workload {
  return (application) => {
    const able = application.nodesAccepting('join');
    const leavers = new Set(able.filter(() => application.random.chance(leaving)));
    const attached = new Set<NodeId>();
    const delay = { kind: 'exponential', mean } as const;
    for (const id of able) application.later(delay, () => application.tell(id, { type: 'join' }));
    /** A node leaves only where it has a place; otherwise later. */
    const leave = (id: NodeId) =>
      application.later(delay, () => {
        if (attached.has(id)) application.tell(id, { type: 'leave' });
        else leave(id);
      });
    return ({ id, tags }) => {
      if (!tags.has('attached')) attached.delete(id);
      else {
        attached.add(id);
        if (leavers.delete(id)) leave(id);
      }
    };
  };
}

const tree = virtualTree();
const chainLike = virtualTree({ addresses: 1 });
const joining = { inputs: [{ type: 'join' }] };
const mutant = mutantOf(chainLike);

describe('B13 virtual-tree: spanning tree', () => {
  it('gives every member a place in up to 1,000 seeded runs with joins and leaves, 500 under each condition it assumes', () => {
    for (const conditions of conditionsFor(tree))
      for (const seed of sampled(seedsTo(500), 25)) {
        const topology = complete(4 + (seed % 4));
        const result = simulate({
          protocol: tree,
          topology,
          conditions,
          workload: churn({ leaving: 0.5 }),
          seed,
        });
        expect(`${topology.spec} seed ${seed}: ${fault(result)}`).toBe(
          `${topology.spec} seed ${seed}: undefined`,
        );
      }
  });

  everyInterleaving(
    chainLike,
    [
      [complete(3), {}, 271],
      [complete(4), {}, 77_649],
    ],
    {
      'a node that loses its place does not dissolve its subtree': mutant(
        'complete:4, 15 steps: a node learns that its parent has lost its place: while the parent is not attached, lost or closed is on the way',
        machine.provide({ actions: { dissolve: assign({ parent: null, level: null }) } }),
      ),
      'a node takes the neighbour with the largest level': mutant(
        'complete:3, 8 steps: a node has a larger level than its parent, as long as the parent is attached',
        machine.provide({
          actions: {
            choose: assign(({ context }) => {
              const [parent = null, level = 0] =
                Object.entries(context.neighbours).sort(
                  ([, one], [, other]) => (other ?? -1) - (one ?? -1),
                )[0] ?? [];
              return { parent, level: level ?? 0 };
            }),
          },
        }),
      ),
      'a node that leaves does not close its connections': mutant(
        'complete:3, 9 steps: a node learns that its parent has lost its place: while the parent is not attached, lost or closed is on the way',
        machine.provide({
          actions: { close: emit(({ context }) => send(context.registry, { type: 'closed' })) },
        }),
      ),
    },
  );

  sharedContract(tree, [complete(4), complete(6)], () => churn({ leaving: 0.5 }), [
    { topology: complete(3), budget: joining },
  ]);

  it('gives every node a place if all only join, with two addresses each', () => {
    const { complete: isComplete, states, properties } = explore(tree, complete(4), joining);
    expect({ isComplete, states }).toEqual({ isComplete: true, states: 1_526 });
    for (const { kind, verdict } of properties)
      expect(verdict).toBe(kind === 'sometimes' ? 'reached' : 'holds');
  });

  it.each([0, 1.5])('refuses %s addresses', (addresses) => {
    expect(() => virtualTree({ addresses })).toThrow(
      `virtualTree: addresses is ${addresses}. Give a whole number, 1 or more.`,
    );
  });
});

describe('virtual-tree rules', () => {
  const absent: LocalState = start(machine, 'm', { registry: 'r' }).state;
  const after = (...events: Event[]) => takeAll(machine, 'm', absent, events);
  const join: Event = { type: 'join' };
  const from = <M extends Message>(sender: NodeId, message: M): Event =>
    ({ ...message, from: sender }) as Event; // what a host makes of a message
  const addresses = (...ids: NodeId[]): Event => from('r', { type: 'addresses', ids });
  const level = (sender: NodeId, value: number | null): Event =>
    from(sender, { type: 'level', level: value });
  const noted = (sender: NodeId, value: number | null): Event =>
    from(sender, { type: 'noted', level: value });
  const sends = (message: Message, ...ids: NodeId[]) => ids.map((id) => send(id, message));
  /** m below a, with the other neighbours b, which has the same parent, and c, a child. */
  const placed = [
    join,
    addresses('a', 'b'),
    level('b', 3),
    level('a', 2),
    from('c', { type: 'connect' }),
    level('c', 4),
  ];

  it('[VT1] a node that joins asks the registry for addresses', () => {
    const { state, effects } = after(join);
    expect(state.value).toEqual({ present: 'registering' });
    expect(effects).toEqual(sends({ type: 'register' }, 'r'));
  });

  it('[VT2] the first member is the root; so is the one that the registry appoints', () => {
    expect(after(join, addresses()).state).toMatchObject({
      value: { present: 'attached' },
      context: { level: 0, parent: null },
    });
    const { state, effects } = after(...placed, from('r', { type: 'be-root' }));
    expect(state).toMatchObject({
      value: { present: 'attached' },
      context: { level: 0, parent: null },
    });
    expect(effects).toEqual(sends({ type: 'level', level: 0 }, 'a', 'b', 'c'));
  });

  it('[VT3] a node connects to the addresses; a member answers with its level', () => {
    expect(after(join, addresses('a', 'b')).effects).toEqual(sends({ type: 'connect' }, 'a', 'b'));
    expect(after(...placed, from('d', { type: 'connect' })).effects).toEqual(
      sends({ type: 'level', level: 3 }, 'd'),
    );
  });

  it('[VT4] a node waits for all answers, and for a neighbour with a level', () => {
    expect(after(join, addresses('a', 'b'), level('a', 0)).state.value).toEqual({
      present: 'connecting',
    });
    expect(
      after(join, addresses('a', 'b'), level('a', null), level('b', null)).state.value,
    ).toEqual({ present: 'connecting' });
    expect(after(join, addresses('a'), level('a', null), level('a', 1)).state.value).toEqual({
      present: 'attached',
    });
  });

  it('[VT5] it takes the neighbour with the smallest level as its parent, and tells all neighbours', () => {
    const { state, effects } = after(join, addresses('a', 'b'), level('b', 3), level('a', 2));
    expect(state).toMatchObject({
      value: { present: 'attached' },
      context: { level: 3, parent: 'a' },
    });
    expect(effects).toEqual(sends({ type: 'level', level: 3 }, 'a', 'b'));
  });

  it('[VT6] a node whose parent leaves, or loses its place, tells its other neighbours that it has lost its own', () => {
    for (const [event, owed] of [
      [from('a', { type: 'closed' }), null],
      [from('a', { type: 'lost' }), 'a'],
    ] as const) {
      const { state, effects } = after(...placed, event);
      expect(state).toMatchObject({
        value: { present: 'dissolving' },
        context: { level: null, parent: null, pending: ['b', 'c'], owed },
      });
      expect(effects).toEqual(sends({ type: 'lost' }, 'b', 'c'));
    }
  });

  it('[VT7] a node answers another neighbour that has lost its place at once, with its own level', () => {
    const { state, effects } = after(...placed, from('b', { type: 'lost' }));
    expect(state).toMatchObject({
      value: { present: 'attached' },
      context: { neighbours: { b: null } },
    });
    expect(effects).toEqual(sends({ type: 'noted', level: 3 }, 'b'));
  });

  it('[VT8] when all have answered, it answers its former parent, and chooses again, or asks the registry again', () => {
    const lost = [...placed, from('a', { type: 'lost' }), noted('c', null)];
    const chosen = after(...lost, noted('b', 3));
    expect(chosen.state).toMatchObject({
      value: { present: 'attached' },
      context: { level: 4, parent: 'b', owed: null },
    });
    expect(chosen.effects).toEqual([
      ...sends({ type: 'noted', level: null }, 'a'),
      ...sends({ type: 'level', level: 4 }, 'a', 'b', 'c'),
    ]);
    const alone = after(...lost, noted('b', null));
    expect(alone.state).toMatchObject({
      value: { present: 'registering' },
      context: { owed: null },
    });
    expect(alone.effects).toEqual([
      ...sends({ type: 'noted', level: null }, 'a'),
      ...sends({ type: 'register' }, 'r'),
    ]);
  });

  it('[VT9] a closed connection is forgotten; a node that is looking for a parent asks the registry again', () => {
    expect(after(...placed, from('c', { type: 'closed' })).state.context).toMatchObject({
      neighbours: { a: 2, b: 3 },
      parent: 'a',
    });
    const { state, effects } = after(join, addresses('a'), from('a', { type: 'closed' }));
    expect(state).toMatchObject({ value: { present: 'registering' }, context: { neighbours: {} } });
    expect(effects).toEqual(sends({ type: 'register' }, 'r'));
  });

  it('[VT10] a node that leaves tells the registry and its neighbours, and refuses connections', () => {
    const { state, effects } = after(...placed, { type: 'leave' });
    expect(state.value).toBe('left');
    expect(effects).toEqual(sends({ type: 'closed' }, 'r', 'a', 'b', 'c'));
    expect(step(machine, 'm', state, from('d', { type: 'connect' })).effects).toEqual(
      sends({ type: 'closed' }, 'd'),
    );
    for (const event of [
      addresses('a'),
      from('r', { type: 'be-root' }),
      level('a', 1),
      noted('a', 1),
      from('a', { type: 'lost' }),
      from('a', { type: 'closed' }),
    ])
      expect(step(machine, 'm', state, event)).toEqual({ state, effects: [] });
  });

  const open: LocalState = start(registryMachine, 'r', { addresses: 2 }).state;
  const told = (...events: (readonly [NodeId, 'register' | 'closed'])[]) =>
    events.reduce(
      (taken, [id, type]) => {
        const event: Received<Message> = { type, from: id };
        return step(registryMachine, 'r', taken.state, event);
      },
      { state: open, effects: [] } as ReturnType<typeof step>,
    );
  const registered = (ids: string) => [...ids].map((id) => [id, 'register'] as const);

  it('[VT2] the registry tells the m-th newcomer the members with half and a quarter of its number', () => {
    const ids = (newcomers: string) => told(...registered(newcomers)).effects;
    expect(ids('a')).toEqual(sends({ type: 'addresses', ids: [] }, 'a'));
    expect(ids('ab')).toEqual(sends({ type: 'addresses', ids: ['a'] }, 'b'));
    expect(ids('abc')).toEqual(sends({ type: 'addresses', ids: ['b', 'a'] }, 'c'));
    expect(ids('abcdefghi')).toEqual(sends({ type: 'addresses', ids: ['e', 'c'] }, 'i'));
  });

  it('[VT11] a member that asks again is told the root', () => {
    expect(told(...registered('abcdb')).effects).toEqual(
      sends({ type: 'addresses', ids: ['a'] }, 'b'),
    );
  });

  it('[VT12] the registry strikes off a node that leaves, and appoints the oldest member if it was the root', () => {
    expect(told(...registered('abc'), ['b', 'closed'])).toMatchObject({
      state: { context: { members: ['a', 'c'] } },
      effects: [],
    });
    expect(told(...registered('abc'), ['a', 'closed']).effects).toEqual(
      sends({ type: 'be-root' }, 'b'),
    );
    expect(told(['a', 'register'], ['a', 'closed']).effects).toEqual([]);
  });
});

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const noCycle = 'the parents form no cycle';
const learns =
  'a node learns that its parent has lost its place: while the parent is not attached, lost or closed is on the way';
const place = 'every node that waits for a place in the tree gets one';

describe('virtual-tree assumptions', () => {
  proof.each([
    ['a lost message', { losses: 1 }, quiescence, 7],
    ['a crash', { crashes: 1 }, place, 2],
    ['a restart', { crashes: 1, restarts: 1 }, everyMessageHandled, 4],
    ['a duplicated message', { duplications: 1 }, everyMessageHandled, 6],
    ['messages out of order', { order: 'any' }, learns, 12],
  ] as const)(
    '%s makes no cycle with two nodes, and has this shortest run',
    (_what, budget, broken, steps) => {
      const two = virtualTree({ addresses: 1 });
      expect(outcomeOf(ignoringUnexpected(two), complete(3), budget).verdicts).toMatchObject({
        [noCycle]: 'holds',
      });
      expect(outcomeOf(two, complete(3), budget).verdicts).toMatchObject({
        [broken]: `violated in ${steps}`,
      });
    },
  );

  proof(
    'if a node that loses its parent takes any neighbour with a level at once, there is a cycle: the page shows the shortest run',
    () => {
      const { on = {} } = machine.config.states?.present?.states?.attached ?? {};
      const hasOther = ({
        context,
        event,
      }: {
        readonly context: MachineContext;
        readonly event: EventObject;
      }) =>
        Object.entries({ ...context.neighbours }).some(
          ([id, level]) => level !== null && 'from' in event && id !== event.from,
        );
      const atOnce = (rest: unknown) => [
        {
          guard: and(['fromParent', hasOther]),
          actions: ['forget', 'choose', 'announce'],
          description: 'naive',
        },
        ...[rest].flat(),
      ];
      const naive = withMachine(
        virtualTree({ addresses: 1 }),
        withState(machine, ['present', 'attached'], { on: { ...on, closed: atOnce(on.closed) } }),
      );
      const { properties } = explore(naive, complete(4), { all: false });
      const [wrong] = properties.filter(({ verdict }) => verdict === 'violated');
      const [, shown = ''] = /```text\n([^`]*# variant[^`]*)```/.exec(page) ?? [];
      expect(wrong).toMatchObject({ name: noCycle });
      expect(linesText(parseTrace(shown).lines)).toBe(linesText(wrong?.trace?.lines ?? []));
      expect(replay(naive, complete(4), parseTrace(shown))).toEqual({
        steps: wrong?.trace?.lines.length,
      });
    },
  );
});

proof(
  'virtual-tree churn of 1,000 nodes, of which 300 leave: never a cycle, and all that stay are below one root',
  () => {
    const topology = complete(1001);
    const parents = new Map<NodeId, NodeId | null>();
    const levels = new Map<NodeId, number>();
    let cycles = 0;
    /** Checks each change of a parent: a new cycle goes through that node. */
    const watched =
      (workload: Workload): Workload =>
      (application) => {
        const observe = workload(application);
        return (node) => {
          const parent = typeof node.context.parent === 'string' ? node.context.parent : null;
          if (node.role === 'node' && parents.get(node.id) !== parent) {
            parents.set(node.id, parent);
            let steps = 0;
            for (let at = parents.get(node.id); at && steps <= 1000; at = parents.get(at))
              steps += at === node.id ? 1001 : 1;
            if (steps > 1000) cycles++;
          }
          if (node.tags.has('attached')) levels.set(node.id, Number(node.context.level));
          else levels.delete(node.id);
          observe(node);
        };
      };
    const result = simulate({
      protocol: virtualTree(),
      topology,
      workload: watched(churn({ leaving: 0.3, mean: 300 })),
      conditions: { order: 'fifo', delay: { kind: 'exponential', mean: 10 } },
      seed: 5,
    });
    expect(fault(result)).toBeUndefined();
    expect(cycles).toBe(0);
    expect([...levels.values()].filter((level) => level === 0)).toHaveLength(1);
    expect({
      members: levels.size,
      deepest: Math.max(...levels.values()),
      messages: totalMessages(result),
    }).toEqual({ members: 704, deepest: 4, messages: 22_167 });
  },
);
