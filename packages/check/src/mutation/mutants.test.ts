import { fire, start, step, takes } from '@conclave/core/internal';
import {
  type Effect,
  everyStep,
  type LocalState,
  type Message,
  notify,
  type Property,
  send,
} from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign, createMachine, emit, enqueueActions, setup } from 'xstate';
import {
  calls,
  cards,
  centralLock,
  client,
  keeper,
  minimalProtocol,
  type Self,
} from '../../../core/src/protocol/examples.contract.js';
import { eventTypes } from '../../../core/src/protocol/random-actions.contract.js';
import { randomMachine } from '../../../core/src/protocol/random-machine.contract.js';
import { Worlds } from '../worlds/worlds.js';
import { mutantsOf } from './mutants.js';
import { mutate } from './mutate.js';
import { allOperators, type Operator } from './operators.js';
import { machineOf, statechartOf, stateOf } from './statechart.js';

/** Descriptions of transitions lead to no mutants. */
const machine = setup({
  types: {} as { input: Self; context: Self; events: { type: 'go' } | { type: 'word' } },
  actions: {
    note: assign({}),
    tell: emit(({ context }) => send(context.peers[0] ?? '', { type: 'word' })),
    tellAll: enqueueActions(({ context, enqueue }) => {
      for (const peer of context.peers) enqueue.emit(send(peer, { type: 'word' }));
    }),
  },
  guards: { ready: () => true },
}).createMachine({
  id: 'sample',
  context: ({ input }) => input,
  initial: 'idle',
  states: {
    idle: {
      tags: ['waiting', 'free'],
      entry: ['note', 'tell'],
      on: {
        go: [{ guard: 'ready', target: 'busy', actions: ['note', 'tellAll'] }, {}],
        word: { description: 'R1: a late word' },
      },
    },
    busy: {
      always: { guard: 'ready', target: 'done' },
      after: { 50: 'idle' },
      on: { word: { actions: 'tell', description: 'R2' } },
    },
    done: { on: { word: {} } },
  },
});

const protocol = minimalProtocol(machine, {
  channels: {
    order: 'fifo',
    loss: false,
    duplication: false,
    time: { kind: 'exact', delay: [1, 2] },
  },
  messages: { word: { meaning: 'a word' } },
  commands: { go: { kind: 'optional', meaning: 'go' } },
});

const changes = (operator: Operator) =>
  mutantsOf(protocol).flatMap((mutant) =>
    mutant.operator === operator ? [`${mutant.before} ⇒ ${mutant.after}`] : [],
  );

const go = 'idle: go [ready] / note, tellAll → busy | ignored';

describe('the mutants of a statechart', () => {
  it('drop, repeat and swap actions', () => {
    expect(changes('drop-action')).toEqual([
      'idle: entry note, tell ⇒ idle: entry tell',
      'idle: entry note, tell ⇒ idle: entry note',
      `${go} ⇒ idle: go [ready] / tellAll → busy | ignored`,
      `${go} ⇒ idle: go [ready] / note → busy | ignored`,
    ]);
    expect(changes('duplicate-action')).toEqual([
      'idle: entry note, tell ⇒ idle: entry note, note, tell',
      'idle: entry note, tell ⇒ idle: entry note, tell, tell',
      `${go} ⇒ idle: go [ready] / note, note, tellAll → busy | ignored`,
      `${go} ⇒ idle: go [ready] / note, tellAll, tellAll → busy | ignored`,
      'busy: word / tell ⇒ busy: word / tell, tell',
    ]);
    expect(changes('swap-actions')).toEqual([
      'idle: entry note, tell ⇒ idle: entry tell, note',
      `${go} ⇒ idle: go [ready] / tellAll, note → busy | ignored`,
    ]);
  });

  it('drop and negate guards', () => {
    expect(changes('drop-guard')).toEqual([
      `${go} ⇒ idle: go / note, tellAll → busy | ignored`,
      'busy: always [ready] → done ⇒ busy: always → done',
    ]);
    expect(changes('negate-guard')).toEqual([
      `${go} ⇒ idle: go [not ready] / note, tellAll → busy | ignored`,
      'busy: always [ready] → done ⇒ busy: always [not ready] → done',
    ]);
  });

  it('delete rules and whole events, and make them ignore the event', () => {
    expect(changes('delete-transition')).toEqual([
      `${go} ⇒ idle: go unlisted`,
      `${go} ⇒ idle: go [ready] / note, tellAll → busy`,
      'idle: word ignored ⇒ idle: word unlisted',
      'busy: word / tell ⇒ busy: word unlisted',
      'done: word ignored ⇒ done: word unlisted',
    ]);
    expect(changes('ignore')).toEqual([
      `${go} ⇒ idle: go ignored`,
      `${go} ⇒ idle: go [ready] ignored | ignored`,
      'busy: word / tell ⇒ busy: word ignored',
      'busy: after 50 ms → idle ⇒ busy: after 50 ms ignored',
    ]);
  });

  it('change or remove targets', () => {
    expect(changes('retarget')).toEqual([
      `${go} ⇒ idle: go [ready] / note, tellAll → done | ignored`,
      `${go} ⇒ idle: go [ready] / note, tellAll → busy | → busy`,
      `${go} ⇒ idle: go [ready] / note, tellAll → busy | → done`,
      'idle: word ignored ⇒ idle: word → busy',
      'idle: word ignored ⇒ idle: word → done',
      'busy: always [ready] → done ⇒ busy: always [ready] → idle',
      'busy: word / tell ⇒ busy: word / tell → idle',
      'busy: word / tell ⇒ busy: word / tell → done',
      'busy: after 50 ms → idle ⇒ busy: after 50 ms → done',
      'done: word ignored ⇒ done: word → idle',
      'done: word ignored ⇒ done: word → busy',
    ]);
    expect(changes('drop-target')).toEqual([
      `${go} ⇒ idle: go [ready] / note, tellAll | ignored`,
      'busy: always [ready] → done ⇒ busy: always [ready] ignored',
    ]);
  });

  it('drop an always, a tag, a timer', () => {
    expect(changes('drop-always')).toEqual(['busy: always [ready] → done ⇒ busy: always unlisted']);
    expect(changes('drop-tag')).toEqual([
      'idle: tags waiting, free ⇒ idle: tags free',
      'idle: tags waiting, free ⇒ idle: tags waiting',
    ]);
    expect(changes('drop-timer')).toEqual([
      'busy: after 50 ms → idle ⇒ busy: after 50 ms unlisted',
    ]);
  });

  it('drop, repeat and misdirect the first message of an action that does more than send it', () => {
    expect(changes('drop-send')).toEqual([
      `${go} ⇒ idle: go [ready] / note, tellAll (without its first message) → busy | ignored`,
    ]);
    expect(changes('duplicate-send')).toEqual([
      `${go} ⇒ idle: go [ready] / note, tellAll (with its first message twice) → busy | ignored`,
    ]);
    expect(changes('misdirect-send')).toEqual([
      'idle: entry note, tell ⇒ idle: entry note, tell (with its first message misdirected)',
      `${go} ⇒ idle: go [ready] / note, tellAll (with its first message misdirected) → busy | ignored`,
      'busy: word / tell ⇒ busy: word / tell (with its first message misdirected)',
    ]);
  });

  it('let channels do more than the protocol assumes', () => {
    const channels = mutantsOf(protocol).filter(({ role }) => role === undefined);
    expect(
      channels.map(({ id, budget, protocol: { channels } }) => [id, budget, channels]),
    ).toEqual([
      [
        'channels any-order',
        {},
        { order: 'any', loss: false, duplication: false, time: { kind: 'exact', delay: [1, 2] } },
      ],
      [
        'channels lose',
        { losses: 1 },
        { order: 'fifo', loss: true, duplication: false, time: { kind: 'exact', delay: [1, 2] } },
      ],
      [
        'channels repeat',
        { duplications: 1 },
        { order: 'fifo', loss: false, duplication: true, time: { kind: 'exact', delay: [1, 2] } },
      ],
      ['channels untimed', {}, { order: 'fifo', loss: false, duplication: false, time: 'untimed' }],
    ]);
    expect(mutantsOf(calls).filter(({ role }) => role === undefined)).toEqual([]);
  });

  it('are the same each time, each with its own id and change', () => {
    for (const one of [protocol, centralLock, calls, cards]) {
      const mutants = mutantsOf(one);
      expect(mutants.map(({ id }) => id)).toEqual(mutantsOf(one).map(({ id }) => id));
      expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
      expect(
        new Set(
          mutants.map(({ before, after, id }) =>
            after.includes('inline') ? id : `${before} ⇒ ${after}`,
          ),
        ).size,
      ).toBe(mutants.length);
      for (const { before, after, operator } of mutants) {
        expect(after).not.toBe(before);
        expect(allOperators).toContain(operator);
      }
    }
    expect(mutantsOf(centralLock)[0]).toMatchObject({
      id: expect.stringMatching(/^keeper /),
      before: expect.stringMatching(/^keeper · /),
    });
  });
});

describe('a changed send', () => {
  const sent = (operator: Operator, place: string) => {
    const mutant = mutantsOf(protocol).find(
      (one) => one.operator === operator && one.id.startsWith(place),
    );
    if (!mutant) throw new Error(`no ${operator} at ${place}`);
    const worlds = new Worlds(mutant.protocol, complete(3), { order: 'any' });
    const world = worlds.next(worlds.initial, {
      type: 'command',
      node: 'a',
      command: { type: 'go' },
    });
    return Object.entries(world.channels)
      .filter(([channel]) => channel.startsWith('a→'))
      .flatMap(([channel, messages]) => messages.map(() => channel));
  };

  it('is dropped, sent twice, or sent to another neighbour; other sends stay the same', () => {
    // one at the start, two at the command
    expect(sent('drop-tag', 'idle')).toEqual(['a→b', 'a→b', 'a→c']);
    expect(sent('drop-send', 'idle: go')).toEqual(['a→b', 'a→c']);
    expect(sent('duplicate-send', 'idle: go')).toEqual(['a→b', 'a→b', 'a→b', 'a→c']);
    expect(sent('misdirect-send', 'idle: go')).toEqual(['a→b', 'a→c', 'a→c']);
    expect(sent('misdirect-send', 'idle: entry')).toEqual(['a→c', 'a→c', 'a→b']);
  });

  it('has no other receiver where a node has one neighbour', () => {
    const mutant = mutantsOf(protocol).find(({ operator }) => operator === 'misdirect-send');
    const worlds = mutant && new Worlds(mutant.protocol, complete(2));
    expect(Object.keys(worlds?.initial.channels ?? {})).toEqual(['a→b', 'b→a']);
  });
});

/**
 * The reactions of a machine to a list of events, and to its timers; how long it waits for the end
 * of a step is no part of it.
 */
function courseOf(machine: AnyStateMachine, events: readonly string[]): string {
  const course: unknown[] = [];
  try {
    const first = start(machine, 'a', {});
    course.push(first);
    let state: LocalState = first.state;
    for (const type of events) {
      const [timer] = state.timers;
      if (type === 'timer' && !timer) continue;
      if (type !== 'timer' && !takes(machine, state, { type })) continue;
      const next =
        type === 'timer'
          ? fire(machine, 'a', state, timer?.id ?? '')
          : step(machine, 'a', state, { type });
      course.push(next);
      state = next.state;
    }
  } catch (error) {
    course.push(String(error).replace(/more than \d+ microsteps/, 'many microsteps'));
  }
  return JSON.stringify(course);
}

describe('a statechart written out', () => {
  it('is the same machine, in each notation', () => {
    let effects = 0;
    assertRuns(
      fc.property(
        randomMachine,
        fc.array(fc.constantFrom(...eventTypes, 'timer', 'timer'), { maxLength: 12 }),
        (machine, events) => {
          const course = courseOf(machine, events);
          if (course.includes('"effects":[{')) effects++;
          expect(courseOf(machineOf(machine, statechartOf(machine)), events)).toBe(course);
        },
      ),
      20,
      300,
      1,
    );
    if (isWhole) expect(effects).toBeGreaterThan(50);
  });

  it('has no short forms', () => {
    const { on, after, always, entry, tags } = stateOf({
      tags: 'one',
      entry: 'act',
      always: { guard: 'g', target: 'b' },
      on: { go: 'b', stay: undefined, both: ['b', { target: 'c', actions: 'act' }], none: [] },
      after: { 5: 'b' },
    });
    expect({ always, entry, tags }).toEqual({
      always: [{ guard: 'g', target: ['b'], actions: [], others: {} }],
      entry: ['act'],
      tags: ['one'],
    });
    expect(after).toEqual({ 5: [{ target: ['b'], actions: [], others: {} }] });
    expect(on).toEqual({
      go: [{ target: ['b'], actions: [], others: {} }],
      stay: [{ actions: [], others: {} }],
      both: [
        { target: ['b'], actions: [], others: {} },
        { target: ['c'], actions: ['act'], others: {} },
      ],
      none: [],
    });
  });

  it('has absolute targets', () => {
    expect(statechartOf(client).states.idle?.on.acquire?.[0]?.target).toEqual([
      '#(machine).waiting',
    ]);
    expect(statechartOf(keeper).on.request?.[0]).toEqual({ actions: ['enqueue'], others: {} });
  });

  it('a step that never ends is an error', () => {
    const endless = createMachine({
      on: { go: {} },
      initial: 'x',
      states: { x: { always: 'y' }, y: { always: 'x' } },
    });
    expect(() => start(machineOf(endless, statechartOf(endless)), 'a', {})).toThrow(
      /Infinite loop/,
    );
  });
});

// Which differences of a mutant step properties can see.

const ring = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'shut' } | { type: 'told' };
    emitted: Effect<Message, Message>;
  },
  actions: {
    ringBell: emit(notify({ type: 'bell' })),
    tell: emit(({ context }) => send(context.peers[0] ?? '', { type: 'told' })),
  },
}).createMachine({
  id: 'ring',
  context: ({ input }) => input,
  initial: 'open',
  states: {
    open: { on: { shut: { target: 'shut', actions: ['tell', 'ringBell'] }, told: {} } },
    shut: { tags: 'shut', on: { told: {} } },
  },
});
const rings = (...properties: readonly Property[]) =>
  mutate(
    minimalProtocol(ring, {
      messages: { told: { meaning: 'it is shut' } },
      commands: { shut: { kind: 'optional', meaning: 'shut it' } },
      properties,
    }),
    {
      systems: [{ topology: complete(2) }],
      operators: ['drop-action', 'duplicate-action', 'misdirect-send'],
    },
  );

const fatesOf = ({ mutants }: Pick<ReturnType<typeof mutate>, 'mutants'>) =>
  mutants.map(({ id, fate, by }) => [id, fate, ...(by === undefined ? [] : [by])].join(', '));

describe('in the steps of mutants,', () => {
  it('notifications count if a step property reads them', () => {
    expect(fatesOf(rings())).toContain('open: shut ringBell drop-action, equivalent');
    const once = 'the bell rings at most once';
    const { mutants } = rings(everyStep(once, ({ notified }) => notified.length <= 1));
    expect(fatesOf({ mutants }).filter((fate) => fate.includes('ringBell'))).toEqual([
      'open: shut ringBell drop-action, survived',
      `open: shut ringBell duplicate-action, killed, ${once}`,
      'open: shut ringBell misdirect-send, equivalent',
    ]);
    expect(mutants.find(({ id }) => id === 'open: shut ringBell drop-action')?.difference).toEqual({
      system: 'complete:2',
      run: ['- a  shut  open → shut  ⇒ b: told, notify bell', '+ a  shut  open → shut  ⇒ b: told'],
      differs: 'the notifications of the application differ',
    });
  });

  it('the neighbours, which only mutants store, are no difference, even if a property reads whole contexts', () => {
    const whole = everyStep(
      'contexts stay',
      ({ before, after }) =>
        Object.keys(before.context).length === Object.keys(after.context).length,
    );
    expect(fatesOf(rings(whole))).toContain('open: shut tell misdirect-send, equivalent');
  });
});
