import { start, step } from '@conclave/core/internal';
import { type LocalState, type NodeId, send } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { takeAll } from '../../contract/machines.contract.js';
import { type Event, type Message, machine } from './gallager-humblet-spira.js';

/** Node m with the neighbours k, l and n, over edges of the weights 1, 4 and 7. */
const sleeping: LocalState = start(machine, 'm', {
  self: 'm',
  weights: { k: 1, l: 4, n: 7 },
}).state;
const after = (...events: readonly Event[]) => takeAll(machine, 'm', sleeping, events);
const elect: Event = { type: 'elect' };
const connect = (from: NodeId, level: number): Event => ({ type: 'connect', level, from });
const initiate = (
  from: NodeId,
  level: number,
  state: 'find' | 'found' = 'find',
  fragment = 1,
): Event => ({ type: 'initiate', level, fragment, state, from });
const test = (from: NodeId, level: number, fragment: number): Event => ({
  type: 'test',
  level,
  fragment,
  from,
});
const accept = (from: NodeId): Event => ({ type: 'accept', from });
const reject = (from: NodeId): Event => ({ type: 'reject', from });
const report = (from: NodeId, weight: number | null): Event => ({ type: 'report', weight, from });
const sends = (...messages: readonly (readonly [NodeId, Message])[]) =>
  messages.map(([to, message]) => send(to, message));
const tests = (to: NodeId, level: number, fragment = 1) =>
  [to, { type: 'test', level, fragment }] as const;
const tells = (to: NodeId, level: number, state: 'find' | 'found' = 'find', fragment = 1) =>
  [to, { type: 'initiate', level, fragment, state }] as const;

const testing = { fragment: { find: 'testing' } };
const collecting = { fragment: { find: 'collecting' } };
const found = { fragment: 'found' };
/**
 * It is in a fragment of level 1 with k, its core is the edge between them, and it tests the edge
 * to l.
 */
const inCore = [elect, initiate('k', 1)];
/** It has found the edge to l. */
const hasFound = [...inCore, accept('l')];
/** All its other edges are rejected. */
const hasNone = [...inCore, reject('l'), reject('n')];

describe('gallager-humblet-spira rules', () => {
  it('[GHS1] a node that starts is a fragment of level 0, and connects over its smallest edge; later it ignores elect', () => {
    const { state, effects } = after(elect);
    expect(state).toMatchObject({
      value: found,
      context: { level: 0, fragment: null, edges: { k: 'branch', l: 'basic', n: 'basic' } },
    });
    expect(effects).toEqual(sends(['k', { type: 'connect', level: 0 }]));
    for (const before of [[elect], inCore, [...hasNone, report('k', null)]])
      expect(after(...before, elect)).toEqual({ ...after(...before), effects: [] });
  });

  it('[GHS1] a node without neighbours is the leader', () => {
    const { state } = step(
      machine,
      'm',
      start(machine, 'm', { self: 'm', weights: {} }).state,
      elect,
    );
    expect(state).toMatchObject({ value: 'leader', context: { leader: 'm' } });
  });

  it('[GHS2] a message wakes a sleeping node, which starts and then looks at the message', () => {
    expect(after(connect('k', 0))).toEqual({
      state: after(elect, connect('k', 0)).state,
      effects: sends(['k', { type: 'connect', level: 0 }], tells('k', 1)),
    });
    expect(after(test('n', 1, 9)).state).toEqual(after(elect, test('n', 1, 9)).state);
  });

  it('[GHS3] a node defers a connect of its own level over a basic edge, until its level is higher', () => {
    const { state, effects } = after(elect, connect('l', 0));
    expect(state.context).toMatchObject({ deferred: [{ type: 'connect', level: 0, from: 'l' }] });
    expect(effects).toEqual([]);
    const later = after(elect, connect('l', 0), initiate('k', 1, 'found'));
    expect(later.state.context).toMatchObject({ deferred: [], edges: { l: 'branch' } });
    expect(later.effects).toEqual(sends(tells('l', 1, 'found')));
    expect(after(...inCore, connect('n', 1)).state.context).toMatchObject({
      deferred: [{ type: 'connect', level: 1, from: 'n' }],
    });
  });

  it('[GHS3] a node defers a test of a higher level, until its own is as high', () => {
    const { state, effects } = after(elect, test('l', 1, 9));
    expect(state.context).toMatchObject({
      deferred: [{ type: 'test', level: 1, fragment: 9, from: 'l' }],
    });
    expect(effects).toEqual([]);
    const later = after(elect, test('l', 1, 9), initiate('k', 1));
    expect(later.state.context).toMatchObject({ deferred: [] });
    expect(later.effects).toEqual(sends(tests('l', 1), ['l', { type: 'accept' }]));
  });

  it('[GHS3] a node that is still searching defers the report of the other side of the core', () => {
    const { state } = after(...inCore, report('k', 9));
    expect(state).toMatchObject({
      value: testing,
      context: { deferred: [{ type: 'report', weight: 9, from: 'k' }] },
    });
    const later = after(...inCore, report('k', 9), accept('l'));
    expect(later.state).toMatchObject({
      value: found,
      context: { deferred: [], edges: { l: 'branch' } },
    });
    expect(later.effects).toEqual(
      sends(['k', { type: 'report', weight: 4 }], ['l', { type: 'connect', level: 1 }]),
    );
  });

  it('[GHS3] deferred messages are looked at in the order in which they came', () => {
    const { effects } = after(elect, test('n', 1, 9), connect('l', 0), initiate('k', 1, 'found'));
    expect(effects).toEqual(sends(['n', { type: 'accept' }], tells('l', 1, 'found')));
  });

  it('[GHS4] a fragment of a lower level is taken in at once, and takes part in the search if there is one', () => {
    const searching = after(...inCore, connect('n', 0));
    expect(searching.state.context).toMatchObject({ edges: { n: 'branch' }, findCount: 1 });
    expect(searching.effects).toEqual(sends(tells('n', 1)));
    const done = after(...hasFound, connect('n', 0));
    expect(done.state.context).toMatchObject({ edges: { n: 'branch' }, findCount: 0 });
    expect(done.effects).toEqual(sends(tells('n', 1, 'found')));
  });

  it('[GHS5] two fragments of one level that connect over the same edge combine to one of the next level, named after that edge', () => {
    expect(after(elect, connect('k', 0)).effects).toEqual(sends(tells('k', 1)));
    const larger = [...hasFound, report('k', 9), connect('l', 1)];
    expect(after(...larger).effects).toEqual(sends(tells('l', 2, 'find', 4)));
  });

  it('[GHS6] initiate gives level, name and direction of the core, and goes on over the other branches', () => {
    for (const state of ['find', 'found'] as const) {
      const taken = after(...hasFound, connect('n', 0), initiate('k', 2, state, 5));
      expect(taken.state.context).toMatchObject({
        level: 2,
        fragment: 5,
        inBranch: 'k',
        best: null,
        findCount: state === 'find' ? 1 : 0,
      });
      expect(taken.state.value).toEqual(state === 'find' ? testing : found);
      expect(taken.effects[0]).toEqual(send(...tells('n', 2, state, 5)));
    }
  });

  it('[GHS7] a node that searches tests its smallest basic edge; without one it only waits for reports', () => {
    expect(after(...inCore)).toMatchObject({
      state: { value: testing, context: { testEdge: 'l' } },
      effects: sends(tests('l', 1)),
    });
    const taken = after(...inCore, connect('n', 0), reject('l'));
    expect(taken.state).toMatchObject({
      value: collecting,
      context: { testEdge: null, findCount: 1 },
    });
  });

  it('[GHS8] a test of another fragment is accepted, one of the own fragment rejected', () => {
    expect(after(...inCore, test('n', 1, 9)).effects).toEqual(sends(['n', { type: 'accept' }]));
    const { state, effects } = after(...inCore, test('n', 1, 1));
    expect(state.context).toMatchObject({ edges: { n: 'rejected' } });
    expect(effects).toEqual(sends(['n', { type: 'reject' }]));
  });

  it('[GHS8] a test of the own fragment over the edge that the node tests itself is its answer', () => {
    const { state, effects } = after(...inCore, test('l', 1, 1));
    expect(state.context).toMatchObject({ edges: { l: 'rejected' }, testEdge: 'n' });
    expect(effects).toEqual(sends(tests('n', 1)));
  });

  it('[GHS8] a branch stays a branch when its other end tests it', () => {
    const { state, effects } = after(...inCore, connect('n', 0), test('n', 1, 1));
    expect(state.context).toMatchObject({ edges: { n: 'branch' } });
    expect(effects).toEqual(sends(['n', { type: 'reject' }]));
  });

  it('[GHS9] an accepted edge is outgoing and ends the tests; a rejected one is left for the next', () => {
    expect(after(...inCore, accept('l')).state).toMatchObject({
      value: found,
      context: { best: { edge: 'l', weight: 4 }, testEdge: null },
    });
    expect(after(...inCore, reject('l')).effects).toEqual(sends(tests('n', 1)));
    // The edge has become a branch in the meantime, and stays one.
    expect(after(...inCore, connect('l', 0), reject('l')).state.context).toMatchObject({
      edges: { l: 'branch' },
      testEdge: 'n',
    });
  });

  it('[GHS10] the smaller of a report and the own edge is the best', () => {
    for (const [weight, best] of [
      [3, { edge: 'n', weight: 3 }],
      [6, { edge: 'l', weight: 4 }],
      [null, { edge: 'l', weight: 4 }],
    ] as const)
      expect(
        after(...inCore, connect('n', 0), report('n', weight), accept('l')).state.context,
      ).toMatchObject({ best, findCount: 0 });
  });

  it('[GHS11] a node reports when its test and all branches are done, not before', () => {
    expect(after(...inCore, connect('n', 0), accept('l'))).toMatchObject({
      state: { value: collecting },
      effects: [],
    });
    expect(after(...inCore, connect('n', 0), accept('l'), report('n', 3)).effects).toEqual(
      sends(['k', { type: 'report', weight: 3 }]),
    );
    expect(after(...hasNone).effects).toEqual(sends(['k', { type: 'report', weight: null }]));
  });

  it('[GHS12] the side of the core with the smaller edge changes the root, the other one waits', () => {
    for (const weight of [9, null])
      expect(after(...hasFound, report('k', weight)).effects).toEqual(
        sends(['l', { type: 'connect', level: 1 }]),
      );
    expect(after(...hasFound, report('k', 3))).toEqual({ ...after(...hasFound), effects: [] });
  });

  it('[GHS13] the change of root goes along the best edges, and ends with connect over the smallest outgoing edge', () => {
    expect(after(...hasFound, { type: 'change-root', from: 'k' }).effects).toEqual(
      sends(['l', { type: 'connect', level: 1 }]),
    );
    const best = [...inCore, connect('n', 0), report('n', 3), accept('l')];
    expect(after(...best, { type: 'change-root', from: 'k' }).effects).toEqual(
      sends(['n', { type: 'change-root' }]),
    );
  });

  it('[GHS14] if neither side of the core has an outgoing edge, its end with the larger id leads, and both tell their branches', () => {
    const withBranch = [...inCore, connect('n', 0), reject('l'), report('n', null)];
    const { state, effects } = after(...withBranch, report('k', null));
    expect(state).toMatchObject({ value: 'leader', context: { leader: 'm' } });
    expect(effects).toEqual(sends(['n', { type: 'elected', id: 'm' }]));
    const other = start(machine, 'm', { self: 'm', weights: { z: 1, k: 4 } }).state;
    const smaller = [
      elect,
      initiate('z', 1),
      connect('k', 0),
      reject('k'),
      report('k', null),
      report('z', null),
    ].reduce((taken, event) => step(machine, 'm', taken.state, event), {
      state: other,
      effects: [],
    } as ReturnType<typeof step>);
    expect(smaller.state).toMatchObject({ value: 'follower', context: { leader: 'z' } });
    expect(smaller.effects).toEqual(sends(['k', { type: 'elected', id: 'z' }]));
  });

  it('[GHS15] a node that receives elected notes the leader and tells its other branches', () => {
    const { state, effects } = after(...inCore, connect('n', 0), reject('l'), report('n', null), {
      type: 'elected',
      id: 'z',
      from: 'k',
    });
    expect(state).toMatchObject({ value: 'follower', context: { leader: 'z' } });
    expect(effects).toEqual(sends(['n', { type: 'elected', id: 'z' }]));
  });
});
