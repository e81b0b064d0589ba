/**
 * In exact time: an action that fails is found as such, also where time could not go on, or cannot
 * elsewhere.
 */
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { type Self, tiny } from '../../protocol/examples.contract.js';
import { handled, noStepFails } from '../../protocol/handles.js';
import { type Effect, type Received, send } from '../../protocol/node.js';
import { eventually } from '../../protocol/property.js';
import { complete } from '../../topology/generators.js';
import { finding } from '../fixtures/explored.contract.js';
import { explore } from './explore.js';
import type { ExploreOptions } from './options.js';

const node = setup({
  types: {} as {
    input: Self;
    context: Self;
    events: { type: 'greet' } | { type: 'sleep' } | Received<{ type: 'hello' }>;
    emitted: Effect<{ type: 'hello' }>;
  },
});
/** A node may greet the other one, which does not handle that, or sleep. */
const sleeper = node
  .extend({
    actions: { greet: node.emit(({ context }) => send(context.peers[0] ?? '', { type: 'hello' })) },
  })
  .createMachine({
    context: ({ input }) => input,
    initial: 'awake',
    states: {
      awake: { on: { greet: { target: 'greeted', actions: 'greet' }, sleep: 'asleep' } },
      greeted: {},
      asleep: { tags: 'asleep' },
      absent: { on: { hello: {} } },
    },
  });
const system = tiny(sleeper, {
  messages: { hello: { meaning: 'hello' } },
  commands: {
    greet: { kind: 'optional', meaning: 'greet' },
    sleep: { kind: 'optional', meaning: 'sleep' },
  },
  properties: [eventually('a is not awake', ({ node }) => node('a').value !== 'awake')],
});
const found = (options: ExploreOptions = {}) =>
  explore(system, complete(2), {
    time: { kind: 'exact', delay: [5, 5], stays: { asleep: [0, 5] } },
    initiators: ['a'],
    inputs: [{ type: 'greet' }],
    ...options,
  });

describe('a message that has to arrive now and is not handled', () => {
  it.each<[string, ExploreOptions]>([
    ['is all that can happen', {}],
    ['is all that can happen besides a crash', { crashes: 1 }],
    ['is due while time stops elsewhere', { inputs: [{ type: 'sleep' }, { type: 'greet' }] }],
    [
      'is due while time stops elsewhere, which is found first',
      { inputs: [{ type: 'sleep' }, { type: 'greet' }], search: 'depth' },
    ],
  ])('%s', (_what, options) => {
    const { verdict, trace } = finding(found(options), handled);
    expect(verdict).toBe('violated');
    expect(trace?.header.get('fault')).toBe(
      "Node b in 'awake' does not handle 'hello' (from a). List it under on, or ignore it with hello: {}.",
    );
    expect(finding(found(options), noStepFails).verdict).toBe('incomplete');
    expect(finding(found(options), 'a is not awake').verdict).toBe('incomplete');
  });

  it('is told apart from time that stops by itself', () => {
    expect(() => found({ inputs: [{ type: 'sleep' }] })).toThrow(/^Time stops: in \(a: asleep /);
  });
});
