import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { type LocalState, send } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { chain, star, topology, tree } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, type EventObject, emit, enqueueActions } from 'xstate';
import type { Explored } from '../../../contract/explored.contract.js';
import { failing, propertyNamed } from '../../../contract/findings.js';
import { mutantOf, withMachine, withoutSteps, withState } from '../../../contract/mutant.js';
import { takeAll } from '../../../contract/take-all.js';
import { cancelContract } from '../../cancel.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import {
  countedTokenContract,
  printed,
  reliableLinkContract,
  withFaults,
} from '../building-blocks/token-faults.contract.js';
import { raymond } from './protocol.js';
import { cancellableMachine, cancellablePiggybackMachine, type Event, machine } from './raymond.js';

const plain = raymond();
const mutant = mutantOf(withoutSteps(plain));
const topologies = [chain(2), chain(3), star(4), tree(2, 6)];
const small = [
  { topology: chain(2), budget: { commands: 2 } },
  { topology: chain(3), budget: { initiators: ['a', 'c'], commands: 2 } },
];
/** All trees of 2, 3 and 4 nodes, with the token, which the first node has, at each node. */
const trees = [
  chain(2),
  chain(3),
  tree(2, 3),
  chain(4),
  tree(2, 4),
  star(4),
  topology('edges:a-b,b-c,b-d'),
];
const explored = (any: number, fifo: number): readonly Explored[] => [
  ['trees of 2 to 4 nodes, the token at each place, 2 entries each', trees, { commands: 2 }, any],
  [
    'trees of 2 to 4 nodes, the token at each place, 2 entries each, nothing overtakes',
    trees,
    { commands: 2, order: 'fifo' },
    fifo,
  ],
];
const costs = [chain(3), star(5), tree(2, 15), tree(3, 13)];

mutualExclusionContract({
  protocol: plain,
  topologies,
  small,
  explored: explored(57_979, 46_118),
  costs,
  mutants: {
    'ASKED is not reset when the token is passed on': mutant(
      'chain:2, 9 steps: no node waits in a quiescent state',
      machine.provide({
        guards: { oneWaits: () => false },
        actions: {
          passTokenAndAsk: emit(({ context }) =>
            send(context.holder, { type: 'token', entries: context.entries }),
          ),
        },
      }),
    ),
    'the request that should follow the token is forgotten': mutant(
      'chain:3, 11 steps: no node waits in a quiescent state',
      machine.provide({
        actions: {
          passTokenAndAsk: emit(({ context }) =>
            send(context.holder, { type: 'token', entries: context.entries }),
          ),
        },
      }),
    ),
    'HOLDER is not turned when the token is passed on': mutant(
      "chain:2, 1 steps: Node a sends 'token' to a, to which it has no channel in 'chain:2'",
      machine.provide({
        actions: { pointToFirst: assign(({ context }) => ({ queue: context.queue.slice(1) })) },
      }),
    ),
    'a node that waits keeps the token, in its turn or not': mutant(
      "chain:3, 5 steps: Node b sends 'token' to b, to which it has no channel in 'chain:3'",
      machine.provide({
        guards: { ownTurn: () => true },
        actions: {
          leaveQueue: assign(({ context }) => ({
            holder: context.self,
            queue: context.queue.slice(1),
          })),
        },
      }),
    ),
    'a node that forwards a request does not enqueue its sender': mutant(
      "chain:2, 1 steps: Node a sends 'token' to a, to which it has no channel in 'chain:2'",
      machine.provide({ actions: { enqueue: assign({}) } }),
    ),
  },
});

for (const [options, any, fifo] of [
  [{ piggyback: true }, 64_197, 51_840],
  [{ greedy: 1 }, 150_590, 126_614],
  [{ piggyback: true, greedy: 2 }, 185_787, 159_266],
] as const) {
  mutualExclusionContract({
    protocol: raymond(options),
    topologies,
    small,
    explored: explored(any, fifo),
    costs,
    mutants: {},
  });
}

describe('raymond rules', () => {
  const first = (holder: string, greedy = 0): LocalState =>
    start(machine, 'm', { self: 'm', holder, greedy }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'm', state, events);
  const acquire: Event = { type: 'acquire' };
  const release: Event = { type: 'release' };
  const from = (from: string, type: 'request' | 'token' | 'token-and-request'): Event =>
    type === 'request' ? { type, from } : { type, entries: 4, from };
  const request = (to: string) => send(to, { type: 'request' });
  const token = (to: string, entries = 4) => send(to, { type: 'token', entries });

  it('[RY1] a node with the token enters at once; another one queues itself, and sends one request to HOLDER', () => {
    expect(after(first('m'), acquire).state).toMatchObject({
      value: 'held',
      context: { entries: 1 },
    });
    const { state, effects } = after(first('h'), acquire);
    expect(state).toMatchObject({ value: 'wanted', context: { queue: ['m'] } });
    expect(effects).toEqual([request('h')]);
    expect(after(first('h'), from('x', 'request'), acquire).effects).toEqual([]);
  });

  it('[RY2] a request is queued, and one request sent to HOLDER', () => {
    const once = after(first('h'), from('x', 'request'));
    expect(once.effects).toEqual([request('h')]);
    const twice = after(once.state, from('y', 'request'));
    expect(twice.effects).toEqual([]);
    expect(twice.state.context.queue).toEqual(['x', 'y']);
  });

  it('[RY3] an idle token goes to the first node that requests it', () => {
    const { state, effects } = after(first('m'), from('x', 'request'));
    expect(effects).toEqual([token('x', 0)]);
    expect(state).toMatchObject({
      value: { released: 'away' },
      context: { holder: 'x', queue: [] },
    });
  });

  it('[RY4] a token goes on to the first in the queue; a request follows it if others wait', () => {
    const one = after(first('h'), from('x', 'request'), from('h', 'token'));
    expect(one.effects).toEqual([token('x')]);
    expect(one.state.value).toEqual({ released: 'away' });
    const two = after(first('h'), from('x', 'request'), acquire, from('h', 'token'));
    expect(two.effects).toEqual([token('x'), request('x')]);
    expect(two.state).toMatchObject({ value: 'wanted', context: { holder: 'x', queue: ['m'] } });
  });

  it('[RY5] a node takes the token in its turn, and counts the entry', () => {
    const { state, effects } = after(first('h'), acquire, from('x', 'request'), from('h', 'token'));
    expect(effects).toEqual([]);
    expect(state).toMatchObject({
      value: 'held',
      context: { holder: 'm', queue: ['x'], entries: 5 },
    });
  });

  it('[RY6] a node that leaves passes the token on to the first in the queue, with a request if others wait; if none waits, it keeps it', () => {
    const held = after(first('m'), acquire).state;
    expect(after(held, release).state.value).toEqual({ released: 'here' });
    expect(after(held, from('x', 'request'), release).effects).toEqual([token('x', 1)]);
    expect(after(held, from('x', 'request'), from('y', 'request'), release).effects).toEqual([
      token('x', 1),
      request('x'),
    ]);
  });

  it('piggyback: a token and the request that follows it are one message', () => {
    const piggyback = raymond({ piggyback: true }).roles.node?.machine ?? machine;
    const waiting = [
      acquire,
      from('x', 'request'),
      from('y', 'request'),
      from('h', 'token'),
    ].reduce((state, event) => step(piggyback, 'm', state, event).state, first('h'));
    expect(step(piggyback, 'm', waiting, release).effects).toEqual([
      send('x', { type: 'token-and-request', entries: 5 }),
    ]);
  });

  it('greedy: a node enters before its turn up to that many times in a row, then waits for its turn', () => {
    const busy = after(first('h', 1), from('x', 'request'), acquire, from('h', 'token')).state;
    expect(busy).toMatchObject({ value: 'held', context: { queue: ['x'], favours: 1 } });
    const again = after(busy, release, from('y', 'request'), acquire, from('x', 'token'));
    expect(again.state.value).toBe('wanted');
    expect(again.effects).toEqual([token('y'), request('y')]);
    expect(after(again.state, from('y', 'token')).state).toMatchObject({
      value: 'held',
      context: { favours: 0 },
    });
  });

  proof('holder: the token starts there, at any node of the network', () => {
    for (const holder of ['a', 'b', 'c', 'd']) {
      const inside = holder === 'b' || holder === 'c';
      const found = explore(raymond({ holder }), chain(4), { commands: 2 });
      expect(found.states).toBe(inside ? 13_954 : 13_994); // as on the trees above
      expect(failing(found)).toEqual([]);
    }
  });

  it('refuses impossible options', () => {
    expect(() => raymond({ greedy: -1 })).toThrow(
      'raymond: greedy is -1. Give a whole number, 0 or more.',
    );
    expect(() => simulate({ protocol: raymond({ holder: 'z' }), topology: chain(3) })).toThrow(
      /the option holder names the node 'z'/,
    );
    expect(
      simulate({ protocol: raymond({ holder: 'f' }), topology: tree(2, 7), workload: closedLoop() })
        .complete,
    ).toBe(true);
  });
});

describe('raymond assumptions', () => {
  const safe = { exclusion: 'holds', handled: 'holds' };

  it.each([
    ['chain of 2', chain(2), 32],
    ['chain of 3', chain(3), 304],
    ['star of 4', star(4), 2_327],
  ])(
    'one lost message, at any place of a %s, breaks liveness, not safety',
    (_name, topology, states) => {
      const { found, linesOf } = withFaults(plain, topology, { losses: 1 });
      expect(found).toMatchObject({
        ...safe,
        states,
        enters: 'violated in 2',
        token: 'violated in 3',
      });
      const kinds = (name: 'enters' | 'token') => linesOf(name).map(({ event }) => event.kind);
      expect([kinds('enters'), kinds('token')]).toEqual([
        ['command', 'drop'], // a lost request: its sender waits forever
        ['command', 'deliver', 'drop'], // a lost token
      ]);
    },
  );

  it('a message that arrives twice breaks safety', () => {
    const duplicating = withFaults(plain, chain(3), { duplications: 1 });
    expect(duplicating.found).toMatchObject({ states: 1_853, exclusion: 'violated in 8' });
    expect(readFileSync(new URL('./README.md', import.meta.url), 'utf8')).toContain(
      printed(duplicating, 'exclusion'),
    );
  });

  it('a crash takes the token, or the path to it, away; it breaks liveness, not safety', () => {
    expect(withFaults(plain, chain(3), { crashes: 1 }).found).toMatchObject({
      ...safe,
      states: 950,
      enters: 'violated in 2',
    });
  });

  proof('a lost message breaks liveness, not safety, in simulated runs too', () => {
    const verdicts = (seed: number, name: string) =>
      propertyNamed(
        simulate({
          protocol: withoutSteps(plain),
          topology: tree(2, 6),
          seed,
          conditions: { loss: 0.05 },
          workload: closedLoop({ entries: 3 }),
        }).properties,
        name,
      ).verdict;
    for (let seed = 1; seed <= 200; seed++)
      expect(verdicts(seed, 'at most one node is in the critical section')).toMatch(
        /holds|incomplete/,
      );
    const violated = (name: string) =>
      Array.from({ length: 50 }, (_, seed) => verdicts(seed, name)).filter(
        (found) => found === 'violated',
      );
    expect(violated('there is exactly one token, in a node or on its way').length).toBeGreaterThan(
      10,
    );
    expect(violated('every node that wants to enter eventually enters').length).toBeGreaterThan(0);
  });

  reliableLinkContract(plain, tree(2, 6), 30);
});

countedTokenContract(plain, { topology: chain(3), duplicated: 8, restarted: 6 });

const protocol = raymond({ cancel: true });

cancelContract({
  protocol,
  topologies: [2, 3, 5].map((n) => chain(n)),
  explored: [
    ['chain of 2, 2 requests each', chain(2), { commands: 2 }, 390],
    ['chain of 3, 2 requests each', chain(3), { commands: 2 }, 14_953],
    ['chain of 4, a request each', chain(4), {}, 7_507],
  ],
  costs: [
    { topology: chain(2), budget: { commands: 2 }, most: 2 },
    { topology: chain(3), budget: { commands: 2 }, most: 4 },
  ],
  mutants: {
    'a cancelled request is not withdrawn: it stays in the queue': {
      protocol: withMachine(
        protocol,
        cancellableMachine.provide({ actions: { dequeueSelf: enqueueActions(() => {}) } }),
      ),
      refuted: 'chain:2, 3 steps: no node is in a queue twice',
    },
    'a node that has cancelled counts as one that has not asked': {
      protocol: withMachine(
        protocol,
        withState(cancellableMachine, ['wanted'], {
          on: {
            ...cancellableMachine.config.states?.wanted?.on,
            cancel: { target: 'released.away', actions: 'dequeueSelf' },
          },
        }),
      ),
      refuted: "chain:2, 3 steps: Node b in 'released.away' does not handle 'token' (from a)",
    },
  },
});

cancelContract({
  protocol: raymond({ cancel: true, piggyback: true }),
  topologies: [chain(4)],
  explored: [
    ['piggyback, chain of 2, 2 requests each', chain(2), { commands: 2 }, 410],
    ['piggyback, chain of 3, 2 requests each', chain(3), { commands: 2 }, 17_017],
  ],
  costs: [],
  mutants: {},
});

cancelContract({
  protocol: raymond({ cancel: true, greedy: 1 }),
  topologies: [chain(4)],
  explored: [['greedy, chain of 3, 2 requests each', chain(3), { commands: 2 }, 25_833]],
  costs: [],
  mutants: {},
});

describe('raymond rules with cancel', () => {
  const input = { self: 'b', holder: 'a', greedy: 0 };
  const after = (machine: AnyStateMachine, ...events: readonly EventObject[]) =>
    takeAll(machine, 'b', start(machine, 'b', input).state, events);
  const [acquire, cancel] = [{ type: 'acquire' }, { type: 'cancel' }];
  const request = { type: 'request', from: 'c' };

  it('[RY7] a node that cancels leaves its queue, and has still asked', () => {
    const { state } = after(cancellableMachine, acquire, request, cancel);
    expect([state.value, state.context.queue]).toEqual([{ released: 'asked' }, ['c']]);
    expect(after(cancellableMachine, acquire, cancel, acquire)).toMatchObject({
      state: { value: 'wanted' },
      effects: [],
    });
  });

  it('[RY8] a token for nobody stays; one with a request goes back', () => {
    const token = { entries: 3, from: 'a' };
    const { state } = after(cancellableMachine, acquire, cancel, { type: 'token', ...token });
    expect(state).toMatchObject({
      value: { released: 'here' },
      context: { holder: 'b', entries: 3 },
    });
    const both = after(cancellablePiggybackMachine, acquire, cancel, {
      type: 'token-and-request',
      ...token,
    });
    expect([both.state.value, both.effects]).toEqual([
      { released: 'away' },
      [send('a', { type: 'token', entries: 3 })],
    ]);
  });
});

greedyContract({
  make: raymond,
  topology: chain,
  states: [
    ['2 nodes, 2 entries each', 2, { commands: 2 }, 93],
    ['3 nodes, 2 entries each', 3, { commands: 2 }, 2_023],
  ],
});
