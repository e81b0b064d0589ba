import { start } from '@conclave/core/internal/protocol';
import { type LocalState, send } from '@conclave/core/protocol';
import { chain, complete, star, topology } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign, emit } from 'xstate';
import { mutantOf, withMachine, withoutSteps, withState } from '../../contract/mutant.js';
import { takeAll } from '../../contract/take-all.js';
import { localExclusionContract } from '../local-exclusion.contract.js';
import { type Command, type Event, machine } from './appointments.js';
import { appointments } from './protocol.js';

const together = (...ids: readonly string[]): Command => ({ type: 'acquire', with: ids });
const withAll: Command = { type: 'acquire', with: 'neighbours' };
const square = topology('edges:a-b,b-c,c-d,a-d');
const mutant = mutantOf(withoutSteps(appointments));

localExclusionContract({
  protocol: appointments,
  topologies: [chain(2), complete(3), chain(3)],
  entries: 2,
  small: [
    { topology: chain(2), budget: { commands: 2 } },
    { topology: complete(3), budget: { inputs: [together('c')], initiators: ['a', 'b'] } },
  ],
  explored: [
    ['2 nodes, 3 entries each', chain(2), { commands: 3 }, 2_209],
    [
      '3 nodes, each with all neighbours, 2 entries each',
      [chain(3), complete(3)],
      { commands: 2, inputs: [withAll] },
      11_929,
    ],
    [
      'complete:3, each alone and with a, b and c in turn, two of them',
      complete(3),
      {
        inputs: [together(), together('a'), together('b'), together('c')],
        initiators: ['a', 'b'],
      },
      102_856,
    ],
    [
      'complete:3, each with a and with b',
      complete(3),
      { inputs: [together('a'), together('b')] },
      13_147,
    ],
    [
      'the star, the ring and the clique of 4, an entry each',
      [star(4), square, complete(4)],
      {},
      40_418,
    ],
  ],
  covered: [
    {
      topology: complete(3),
      budget: {},
      states: 1_035,
      transitions: 2_208,
      depth: 20,
      // Each request gets one calendar, while its organiser waits, and a calendar is returned once.
      undelivered: [
        'calendar.free: returned',
        'organiser.held: granted',
        'organiser.held: returned',
        'organiser.released: granted',
      ],
    },
  ],
  // Both end nodes ask the same one, each for itself; in a chain of four, the end nodes do not.
  apart: { topology: chain(4), budget: { inputs: [withAll, together()], initiators: ['a', 'd'] } },
  whole: { inputs: [withAll] },
  costs: [chain(3), complete(5), star(6)],
  mutants: {
    'an organiser asks for its own calendar first': mutant(
      'chain:2, 4 steps: no node waits in a quiescent state',
      machine.provide({
        actions: {
          plan: assign(({ context: { self, neighbours }, event }) => {
            assertEvent(event, 'acquire');
            const participants = [self, ...(event.with === 'neighbours' ? neighbours : event.with)];
            return { participants, missing: participants, fence: 0 };
          }),
        },
      }),
    ),
    'an organiser does not take its own calendar': mutant(
      'chain:2, 2 steps: no node waits in a quiescent state',
      machine.provide({
        actions: {
          plan: assign(({ context, event }) => {
            assertEvent(event, 'acquire');
            const participants = event.with === 'neighbours' ? context.neighbours : event.with;
            return { participants, missing: participants, fence: 0 };
          }),
        },
      }),
    ),
    'requests for a calendar that is taken are forgotten': mutant(
      'chain:2, 6 steps: no node waits in a quiescent state',
      machine.provide({ actions: { enqueue: assign({}) } }),
    ),
    'a calendar is granted twice': mutant(
      'chain:2, 3 steps: each calendar is in one place: with its node, with one organiser, or on its way',
      machine.provide({
        actions: {
          enqueue: emit(({ context, event }) => {
            assertEvent(event, 'request');
            return send(event.from, { type: 'granted', entries: context.entries });
          }),
        },
      }),
    ),
    'the first calendar is enough': mutant(
      'chain:2, 1 steps: an appointment that is held is in the calendars of all its participants',
      machine.provide({ guards: { isLast: () => true } }),
    ),
    'calendars are not returned': mutant(
      'chain:2, 2 steps: each calendar is in one place: with its node, with one organiser, or on its way',
      withState(machine, ['organiser', 'held'], {
        on: { release: { target: 'released', actions: 'forget' } },
      }),
    ),
    'entries are not counted': {
      protocol: withMachine(appointments, machine.provide({ actions: { countEntry: assign({}) } })),
      refuted:
        'chain:2, 1 steps: a fencing token is one more than the largest number in the calendars',
    },
  },
});

describe('appointments rules', () => {
  const first: LocalState = start(machine, 'm', { self: 'm', neighbours: ['a', 'x', 'z'] }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'm', state, events);
  const release: Event = { type: 'release' };
  const request = (from: string): Event => ({ type: 'request', from });
  const granted = (from: string, entries = 0): Event => ({ type: 'granted', from, entries });
  const returned = (from: string, entries: number): Event => ({ type: 'returned', from, entries });
  const asked = (to: string) => send(to, { type: 'request' });

  it('[AP1] an organiser asks the first participant in the order of ids, which may be itself', () => {
    const { state, effects } = after(first, together('x', 'a'));
    expect(effects).toEqual([asked('a')]);
    expect(state).toMatchObject({
      value: { organiser: 'wanted', calendar: 'free' },
      context: { missing: ['a', 'm', 'x'] },
    });
    const own = after(first, together('x'));
    expect(own.effects).toEqual([asked('x')]);
    expect(own.state).toMatchObject({
      value: { organiser: 'wanted', calendar: 'taken' },
      context: { holder: 'm', missing: ['x'] },
    });
    expect(after(first, withAll).state.context.missing).toEqual(['a', 'm', 'x', 'z']);
  });

  it('[AP2] a free calendar is granted at once, with the largest number in it; another request waits', () => {
    const taken = after(first, request('x'), returned('x', 4), request('z'));
    expect(taken.effects).toEqual([send('z', { type: 'granted', entries: 4 })]);
    const second = after(taken.state, request('x'));
    expect(second.effects).toEqual([]);
    expect(second.state.context).toMatchObject({ holder: 'z', queue: ['x'] });
  });

  it('[AP3] an organiser that gets a calendar asks for the next one', () => {
    const { state, effects } = after(first, withAll, granted('a'));
    expect(effects).toEqual([asked('x')]);
    expect(state).toMatchObject({
      value: { organiser: 'wanted', calendar: 'taken' },
      context: { missing: ['x', 'z'] },
    });
  });

  it('[AP4] an organiser that has all calendars holds the appointment; its number is larger than all in the calendars', () => {
    const { state, effects } = after(first, together('a', 'x'), granted('a', 7), granted('x', 3));
    expect(effects).toEqual([]);
    expect(state).toMatchObject({
      value: { organiser: 'held' },
      context: { fence: 8, missing: [] },
    });
    expect(after(first, together()).state.value).toEqual({ organiser: 'held', calendar: 'taken' });
  });

  it('[AP5] an organiser that leaves returns all calendars', () => {
    const { state, effects } = after(
      first,
      together('a', 'x'),
      granted('a', 7),
      granted('x', 3),
      release,
    );
    expect(effects).toEqual(['a', 'x'].map((id) => send(id, { type: 'returned', entries: 8 })));
    expect(state).toMatchObject({
      value: { organiser: 'released', calendar: 'free' },
      context: { participants: [], entries: 8 },
    });
  });

  it('[AP6] a calendar that is returned goes to the organiser that has waited longest', () => {
    const { state, effects } = after(
      first,
      request('x'),
      request('z'),
      request('a'),
      returned('x', 5),
    );
    expect(effects).toEqual([send('z', { type: 'granted', entries: 5 })]);
    expect(state).toMatchObject({
      value: { calendar: 'taken' },
      context: { holder: 'z', queue: ['a'] },
    });
    expect(after(state, returned('z', 6), returned('a', 7)).state).toMatchObject({
      value: { calendar: 'free' },
      context: { holder: null },
    });
  });
});
