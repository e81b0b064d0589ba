import { explore } from '@conclave/core/exploration';
import { start, step } from '@conclave/core/internal/protocol';
import { type LocalState, send } from '@conclave/core/protocol';
import { chain, complete, star, topology } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign, enqueueActions } from 'xstate';
import { failing } from '../../contract/findings.js';
import { mutantOf, withoutSteps, withState } from '../../contract/mutant.js';
import { takeAll } from '../../contract/take-all.js';
import { labelledGraphs } from '../../mutual-exclusion/token/building-blocks/labelled-graphs.contract.js';
import { fencedAlongEdges, localExclusionContract } from '../local-exclusion.contract.js';
import { type Event, machine } from './dining-philosophers.js';
import { diningPhilosophers } from './protocol.js';

const square = topology('edges:a-b,b-c,c-d,a-d');
const pentagon = topology('edges:a-b,b-c,c-d,d-e,a-e');
const mutant = mutantOf(withoutSteps(diningPhilosophers));

localExclusionContract({
  protocol: diningPhilosophers,
  topologies: [chain(2), complete(3), chain(3)],
  entries: 2,
  small: [
    { topology: chain(2), budget: { commands: 2 } },
    { topology: chain(3), budget: {} },
  ],
  explored: [
    ['2 nodes, 3 entries each', chain(2), { commands: 3 }, 241],
    ['all labelled graphs of 3 nodes, 2 entries each', labelledGraphs(3), { commands: 2 }, 11_564],
    // `npm run verify` explores all labelled graphs of 4 nodes.
    ['star of 4, an entry each', star(4), {}, 1_383],
    ['ring of 4, an entry each', square, {}, 3_769],
    ['ring of 5, an entry each', pentagon, {}, 29_199],
  ],
  covered: [
    {
      topology: complete(3),
      budget: { commands: 2 },
      states: 6_323,
      transitions: 17_787,
      depth: 31,
      // A fork comes only to a node that has requested it and waits.
      undelivered: ['thinking: fork', 'eating: fork'],
    },
  ],
  apart: { topology: chain(3), budget: {} },
  costs: [chain(2), complete(5), star(6), pentagon],
  mutants: {
    'forks stay clean': mutant(
      'edges:a,b,c,a-b,a-c,b-c, 8 steps: precedence has no cycle',
      machine.provide({
        actions: { soilForks: assign(({ context }) => ({ entries: context.entries + 1 })) },
      }),
    ),
    'a hungry node gives no fork': mutant(
      'edges:a,b,c,a-b,a-c,b-c, 8 steps: no node waits in a quiescent state',
      machine.provide({ guards: { forkIsDirty: () => false } }),
    ),
    'a hungry node gives clean forks, too': mutant(
      'edges:a,b,c,a-b,a-c,b-c, 5 steps: precedence has no cycle',
      machine.provide({
        guards: {
          forkIsDirty: ({ context, event }) => {
            assertEvent(event, 'request');
            return context.forks.includes(event.from);
          },
        },
      }),
    ),
    'a node that eats gives forks': mutant(
      'chain:2, 4 steps: no two neighbours are in their critical sections at once',
      withState(machine, ['eating'], {
        on: {
          request: { actions: 'giveFork' },
          release: { target: 'thinking', actions: 'giveRequested' },
        },
      }),
    ),
    'a node that gives a fork while it is hungry does not request it back': mutant(
      'edges:a,b,c,a-b,a-c, 15 steps: no node waits in a quiescent state',
      machine.provide({ actions: { requestBack: assign({}) } }),
    ),
    'requests that cannot be met at once are forgotten': mutant(
      'chain:2, 8 steps: no node waits in a quiescent state',
      machine.provide({ actions: { keepRequest: assign({}) } }),
    ),
    'a fork that was given is still counted': mutant(
      'chain:2, 2 steps: each fork is in one place: at one of its two nodes, or on its way',
      machine.provide({
        actions: {
          giveFork: enqueueActions(({ context, event, enqueue }) => {
            assertEvent(event, 'request');
            enqueue.emit(send(event.from, { type: 'fork', entries: context.entries }));
          }),
        },
      }),
    ),
  },
});

describe('dining-philosophers rules', () => {
  const first = (...forks: string[]): LocalState =>
    start(machine, 'm', { neighbours: ['x', 'y'], forks }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'm', state, events);
  const acquire: Event = { type: 'acquire' };
  const release: Event = { type: 'release' };
  const request = (from: string): Event => ({ type: 'request', from });
  const fork = (from: string, entries = 0): Event => ({ type: 'fork', from, entries });
  const given = (to: string, entries = 0) => send(to, { type: 'fork', entries });

  it('[DP1] a node that becomes hungry requests each missing fork', () => {
    const { state, effects } = after(first('x'), acquire);
    expect(effects).toEqual([send('y', { type: 'request' })]);
    expect(state.value).toBe('hungry');
  });

  it('[DP2] a node that thinks gives the fork that is requested', () => {
    const { state, effects } = after(first('x', 'y'), request('y'));
    expect(effects).toEqual([given('y')]);
    expect(state).toMatchObject({ value: 'thinking', context: { forks: ['x'] } });
  });

  it('[DP3] a hungry node gives a dirty fork, and requests it back', () => {
    const { state, effects } = after(first('x'), acquire, request('x'));
    expect(effects).toEqual([given('x'), send('x', { type: 'request' })]);
    expect(state).toMatchObject({ value: 'hungry', context: { forks: [] } });
  });

  it('[DP4] a hungry node keeps a clean fork, and a node that eats each fork; a request may come before the fork', () => {
    const clean = after(first(), acquire, fork('x'), request('x'));
    expect(clean.effects).toEqual([]);
    expect(clean.state.context).toMatchObject({ forks: ['x'], requested: ['x'] });
    const early = after(first(), acquire, request('x'), fork('x'));
    expect(early.state).toEqual(clean.state);
    const eating = after(first('x', 'y'), acquire, request('y'), request('x'));
    expect(eating.effects).toEqual([]);
    expect(eating.state).toMatchObject({
      value: 'eating',
      context: { forks: ['x', 'y'], requested: ['x', 'y'] },
    });
  });

  it('[DP5] a node with all forks eats; its forks are dirty, and its number is larger than all that came with them', () => {
    const hungry = after(first(), acquire, fork('y', 7)).state;
    expect(hungry).toMatchObject({ value: 'hungry', context: { forks: ['y'], clean: ['y'] } });
    expect(after(hungry, fork('x', 3)).state).toMatchObject({
      value: 'eating',
      context: { forks: ['x', 'y'], clean: [], entries: 8 },
    });
  });

  it('[DP6] a node that has eaten gives the forks that were requested', () => {
    const { state, effects } = after(first('x', 'y'), acquire, request('y'), release);
    expect(effects).toEqual([given('y', 1)]);
    expect(state).toMatchObject({ value: 'thinking', context: { forks: ['x'], requested: [] } });
  });

  it('enters at once without neighbours', () => {
    const alone = start(machine, 'm', { neighbours: [], forks: [] }).state;
    expect(step(machine, 'm', alone, acquire).state.value).toBe('eating');
  });
});

describe('dining-philosophers fencing', () => {
  it('of two neighbours the later entry has the larger token', () => {
    expect(fencedAlongEdges(diningPhilosophers, chain(3), { commands: 2 })).toEqual([
      'holds',
      'holds',
    ]);
    expect(fencedAlongEdges(diningPhilosophers, square, {})).toEqual([
      'holds',
      'holds',
      'holds',
      'holds',
    ]);
  });

  it('holds on the usual five philosophers', () => {
    expect(failing(explore(diningPhilosophers, pentagon, { initiators: ['a', 'b', 'c'] }))).toEqual(
      [],
    );
  });
});
