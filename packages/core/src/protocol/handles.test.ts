import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createMachine,
  initialTransition,
  setup,
  transition,
} from 'xstate';
import { complete, star } from '../topology/generators.js';
import { needs } from '../topology/index.js';
import { examplesOf, nodesAccepting, optionalCommands } from './commands.js';
import { defineProtocol } from './define-protocol.js';
import { calls, centralLock } from './examples.contract.js';
import { handles, matches, stateText, unhandledEvent } from './handles.js';
import { eventTypes } from './random-actions.contract.js';
import { isLegal, randomMachine } from './random-machine.contract.js';

it.each([
  ['wanted', 'wanted'],
  [{ client: 'wanted' }, 'client.wanted'],
  [{ client: { busy: 'wanted' } }, 'client.busy.wanted'],
  [{ client: 'wanted', voter: 'free' }, 'client.wanted & voter.free'],
  [{ on: { client: 'wanted', voter: { held: 'by-us' } } }, 'on.(client.wanted & voter.held.by-us)'],
  [{ client: {}, voter: 'free' }, 'client & voter.free'],
  [{}, ''],
])('stateText of %j is %s', (value, text) => {
  expect(stateText(value)).toBe(text);
});

it.each([
  ['job', 'job', true],
  ['job', 'job.a', false],
  ['*', 'job', true],
  ['job.*', 'job', true],
  ['job.*', 'job.a.b', true],
  ['job.*', 'jobless', false],
  ['job.a.*', 'job', false],
  ['job.a.*', 'job.a.b', true],
])('matches %s covers %s: %s', (descriptor, type, covered) => {
  expect(matches(descriptor, type)).toBe(covered);
});

/** Undefined: the step does not end. */
function after(
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  type: string,
): AnyMachineSnapshot | undefined {
  try {
    return transition(machine, snapshot, { type })[0];
  } catch {
    return undefined;
  }
}

describe('handles', () => {
  it('agrees with XState on random machines, in any order of questions', () => {
    const answers = { true: 0, false: 0, done: 0 };
    assertRuns(
      fc.property(
        randomMachine,
        fc.array(fc.constantFrom(...eventTypes, 'chosen'), { maxLength: 12 }),
        (machine, types) => {
          let [snapshot]: [AnyMachineSnapshot | undefined, unknown] = initialTransition(
            machine,
            {},
          );
          for (const type of types) {
            if (!snapshot || snapshot.status === 'error' || !isLegal(snapshot)) return;
            for (const asked of [...eventTypes, 'chosen', 'unknown']) {
              const event = { type: asked };
              const expected =
                snapshot.status === 'active' &&
                machine.getTransitionData(snapshot, event).length > 0;
              expect(handles(machine, snapshot, event)).toBe(expected);
              expect(handles(machine, snapshot, event)).toBe(expected);
              answers[`${expected}`]++;
            }
            if (snapshot.status === 'done') answers.done++;
            snapshot = after(machine, snapshot, type);
          }
        },
      ),
      25,
      300,
      1,
    );
    if (isWhole) for (const count of Object.values(answers)) expect(count).toBeGreaterThan(20);
  });

  it('distinguishes machines that differ only in their guards', () => {
    const guarded = (guard: () => boolean) =>
      createMachine({ initial: 'a', states: { a: { on: { go: { guard } } } } });
    for (const answer of [true, false, true]) {
      const machine = guarded(() => answer);
      expect(handles(machine, initialTransition(machine)[0], { type: 'go' })).toBe(answer);
    }
  });

  it('counts an empty transition, in the state itself or around it', () => {
    const machine = createMachine({
      initial: 'a',
      on: { outer: {} },
      states: { a: { on: { inner: {} } } },
    });
    const [snapshot] = initialTransition(machine);
    expect(['inner', 'outer', 'other'].map((type) => handles(machine, snapshot, { type }))).toEqual(
      [true, true, false],
    );
  });
});

describe('the error for an unhandled event', () => {
  it('names the node, its state, the event, the sender and a remedy', () => {
    expect(unhandledEvent('b', 'released', { type: 'reply', from: 'a' })).toMatchObject({
      code: 'unhandled',
      message:
        "Node b in 'released' does not handle 'reply' (from a). List it under on, or ignore it with reply: {}.",
    });
  });

  it('has no sender for a command, and quotes a key that needs it', () => {
    expect(unhandledEvent('b', { client: 'idle' }, { type: 'step-down' }).message).toBe(
      "Node b in 'client.idle' does not handle 'step-down'. List it under on, or ignore it with 'step-down': {}.",
    );
  });
});

it('lists the nodes that accept a command in some state', () => {
  expect(nodesAccepting(centralLock, star(4), 'acquire')).toEqual(['b', 'c', 'd']);
  expect(nodesAccepting(centralLock, star(4), 'release')).toEqual(['b', 'c', 'd']);
  expect(nodesAccepting(centralLock, star(4), 'elect')).toEqual([]);
  expect(nodesAccepting(calls, complete(3), 'call')).toEqual(['a', 'b', 'c']);
});

const machine = setup({}).createMachine({ on: { elect: {}, book: {}, paint: {}, release: {} } });
const protocol = defineProtocol({
  name: 'many-commands',
  title: 'Many commands',
  problem: 'none',
  citation: 'none',
  topology: needs.complete,
  channels: { order: 'any', loss: false, duplication: false },
  roles: { node: { machine, input: () => ({}) } },
  messages: {},
  commands: {
    elect: { kind: 'optional', meaning: 'carries nothing' },
    book: {
      kind: 'optional',
      fields: ['seat'],
      meaning: 'with examples',
      examples: [{ seat: 3 }, { seat: 4 }],
    },
    paint: { kind: 'optional', fields: ['colour'], meaning: 'without examples' },
    release: { kind: 'obligatory', meaning: 'not optional', when: () => false },
  },
  properties: [],
});

it('a command without fields is used as it is, one with fields by all its examples, or not at all', () => {
  expect(optionalCommands(protocol)).toEqual([
    { type: 'elect' },
    { type: 'book', seat: 3 },
    { type: 'book', seat: 4 },
  ]);
});

it('the commands are all examples of one command', () => {
  expect(examplesOf(protocol, 'book')).toEqual([
    { type: 'book', seat: 3 },
    { type: 'book', seat: 4 },
  ]);
  expect(examplesOf(protocol, 'elect')).toEqual([{ type: 'elect' }]);
  expect(examplesOf(protocol, 'paint')).toEqual([]);
  expect(examplesOf(protocol, 'unknown')).toEqual([{ type: 'unknown' }]);
});
