/** Errors in plain systems: each of these was once misread or ignored. */

import { always, atMost, increases, leadsTo, never } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { exploreSystem } from './plain.js';

type Loose = (system: unknown, options: unknown) => unknown;
/** A call from plain JavaScript, which no compiler has checked. */
const explore = exploreSystem as Loose;
const counter = {
  initial: 0,
  actions: (n: number) => (n < 3 ? ['up'] : []),
  next: (n: number) => n + 1,
};
const properties = [always<number>('small', (n) => n <= 3)];

/** A system whose initial state leads to `state` and to `other`. */
const reaching = (state: unknown, other: unknown = 0) => ({
  initial: 'start',
  actions: (at: unknown) => (at === 'start' ? ['one', 'other'] : []),
  next: (_at: unknown, action: string) => (action === 'other' ? state : other),
});
const acting = (...actions: readonly unknown[]) => ({
  initial: 0,
  actions: () => actions,
  next: () => 0,
});

describe('a state that is not plain data is refused', () => {
  it.each<[string, unknown, unknown, string]>([
    ['NaN beside null', { v: Number.NaN }, { v: null }, 'state.v (NaN)'],
    ['a Map beside {}', new Map(), {}, 'state (an instance of Map)'],
    ['a hole beside null', [undefined], [null], 'state[0] (undefined)'],
    ['an undefined field beside none', { x: undefined }, {}, 'state.x (undefined)'],
    ['undefined beside null', undefined, null, 'state (undefined)'],
    ['Infinity beside null', Number.POSITIVE_INFINITY, null, 'state (Infinity)'],
    [
      'a date beside its text',
      new Date(0),
      '1970-01-01T00:00:00.000Z',
      'state (an instance of Date)',
    ],
    ['a function', () => 0, null, 'state (a function)'],
    ['a BigInt', 1n, 1, 'state (a bigint)'],
  ])('%s, which would have the same text', (_name, state, other, where) => {
    expect(() => explore(reaching(state, other), { properties: [] })).toThrow(
      `The system: ${where} is not plain data, after "other" in "start". Use numbers, strings, booleans, null, arrays and objects of them.`,
    );
  });

  it('at the start, too', () => {
    expect(() => explore({ ...counter, initial: { at: new Set() } }, { properties })).toThrow(
      'The system: initial.at (an instance of Set) is not plain data.',
    );
    const { initial, ...rest } = counter;
    expect(() => explore({ ...rest, initials: [initial, Number.NaN] }, { properties })).toThrow(
      'The system: initials[1] (NaN) is not plain data.',
    );
  });

  it('a key with an unusual name counts, and the order of keys does not', () => {
    const odd: unknown = JSON.parse('{"__proto__":1}');
    expect(explore(reaching(odd, {}), { properties: [] })).toMatchObject({ states: 3 });
    expect(
      explore(reaching({ a: 1, b: [{ c: 2, d: 3 }] }, { b: [{ d: 3, c: 2 }], a: 1 }), {
        properties: [],
      }),
    ).toMatchObject({ states: 2 });
  });

  it('null is a state, and so is a list', () => {
    expect(
      explore({ initial: null, actions: () => ['on'], next: () => null }, { properties: [] }),
    ).toMatchObject({ states: 1, transitions: 1 });
    expect(
      explore({ initial: [1], actions: () => ['on'], next: () => [1, [2]] }, { properties: [] }),
    ).toMatchObject({ states: 2 });
  });
});

describe('an action that is not plain data is refused', () => {
  it.each<[string, unknown, string]>([
    ['a function', () => 1, 'action (a function)'],
    ['NaN', { by: Number.NaN }, 'action.by (NaN)'],
    ['undefined', undefined, 'action (undefined)'],
    ['a Map', new Map(), 'action (an instance of Map)'],
  ])('%s', (_name, action, where) => {
    expect(() => explore(acting(null, action), { properties: [] })).toThrow(
      `The system: ${where} is not plain data, in 0.`,
    );
  });

  it.each([
    ['nothing', undefined],
    ['a string, which is not a list of letters', 'up'],
    ['a set', new Set(['up'])],
  ])('%s for a list', (_name, list) => {
    expect(() => explore({ ...counter, actions: () => list }, { properties: [] })).toThrow(
      /^actions gives .* in the state 0\. Return a list/,
    );
  });
});

describe('an error names what failed', () => {
  const fails = (): never => {
    throw new Error('no such till');
  };

  it('a property, with the state on which it was evaluated', () => {
    const third = never<number>('three', (n) => (n === 3 ? fails() : false));
    expect(() => explore(counter, { properties: [third] })).toThrow(
      /^Property 'three' fails: no such till .*, in the state 3\./,
    );
    expect(() =>
      explore(counter, { properties: [leadsTo<number>('later', () => true, fails)] }),
    ).toThrow(/^Property 'later' fails: no such till .*, in the state 0\./);
  });

  it('actions and done', () => {
    expect(() => explore({ ...counter, actions: fails }, { properties })).toThrow(
      'actions fails in the state 0: no such till',
    );
    expect(() => explore({ ...counter, done: fails }, { properties })).toThrow(
      /^Property 'no run ends before it is done' fails: no such till .*, in the state 3\./,
    );
  });
});

describe('an object that is not a system', () => {
  const { initial, ...rest } = counter;
  it.each<[string, unknown, string]>([
    [
      'no initial state',
      rest,
      'The system has no initial state. Give one state as initial, or a list of states as initials.',
    ],
    [
      'both',
      { ...counter, initials: [0] },
      'The system has both initial and initials. Give one state',
    ],
    [
      'an empty list of initial states',
      { ...rest, initials: [] },
      "The system's initials are []. Give a list with at least one state.",
    ],
    [
      'initial states that are not a list',
      { ...rest, initials: initial },
      "The system's initials are 0. Give a list",
    ],
    [
      'no next',
      { ...counter, next: undefined },
      "The system's next is undefined. Give a function.",
    ],
    [
      'no actions',
      { ...counter, actions: ['up'] },
      `The system's actions is ["up"]. Give a function.`,
    ],
    [
      'a fair that is a list',
      { ...counter, fair: ['up'] },
      `The system's fair is ["up"]. Give a function, or leave it out.`,
    ],
    [
      'a done that is not a function',
      { ...counter, done: true },
      "The system's done is true. Give a function, or leave it out.",
    ],
  ])('%s', (_name, system, message) => {
    expect(() => explore(system, { properties })).toThrow(message);
  });
});

describe('an option that plain systems do not have', () => {
  it('may be undefined: that leaves it out', () => {
    expect(explore(counter, { properties, coverage: undefined })).toMatchObject({ states: 4 });
  });

  it.each<[Record<string, unknown>, string]>([
    [
      { coverage: true },
      "A system of plain functions has no option 'coverage'. There are no statecharts to cover.",
    ],
    [{ search: 'depth' }, `no option 'search'. Say order: "depth".`],
    [{ fairnes: 'weak' }, "there is no option 'fairnes'. Did you mean 'fairness'?"],
    [{ fairness: 'Weak' }, "fairness is 'Weak'. Give one of 'none', 'weak', 'strong'."],
    [{ order: 'lifo' }, "order is 'lifo'. Give one of 'breadth', 'depth'."],
    [{ limits: { state: 3 } }, "there is no option 'limits.state'. Did you mean 'states'?"],
    [
      { limits: { states: '3' } },
      "limits.states is '3'. Give a whole number, 0 or more, or Infinity.",
    ],
    [{ limits: { seconds: Number.NaN } }, 'limits.seconds is NaN.'],
    [{ properties: undefined }, 'properties is missing'],
    [
      { properties: [always] },
      'properties[0] is not a property; a system of plain functions has properties of other kinds',
    ],
    [
      { properties: [atMost(3, { per: 'elect' })] },
      '\'at most 3 messages per elect\' has the kind "atMost"; a system of plain functions has properties of other kinds. There are no messages and commands',
    ],
    [
      { properties: [increases('grows', () => 1)] },
      '\'grows\' has the kind "increases"; a system of plain functions has properties of other kinds. There are no nodes with numbers',
    ],
  ])('%o', (options, message) => {
    expect(() => explore(counter, { properties, ...options })).toThrow(message);
  });
});
