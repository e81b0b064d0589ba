import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { centralLock, tiny } from '../protocol/examples.contract.js';
import { complete, star } from '../topology/generators.js';
import { explore } from './explore.js';

/** A node that can be told `go`; one of its transitions needs a second `go`, another a guard that never holds. */
const walker = tiny(
  setup({
    types: {} as {
      context: { peers: readonly string[]; steps: number };
      input: { peers: readonly string[] };
      events: { type: 'go' } | { type: 'hi' };
    },
    guards: { never: () => false, some: ({ context }) => context.steps > 0 },
  }).createMachine({
    context: ({ input }) => ({ peers: input.peers, steps: 0 }),
    initial: 'here',
    states: {
      here: { always: { guard: 'some', target: 'there' }, on: { go: { actions: assign({ steps: 1 }) }, hi: {} } },
      there: { on: { go: [{ guard: 'never', target: 'here' }, { target: 'gone' }], hi: {} } },
      gone: { on: { hi: {} } },
    },
  }),
  { commands: { go: { kind: 'wish', meaning: 'walk' } }, messages: { hi: { meaning: 'never sent' } } },
);

describe('coverage', () => {
  it('names the transitions that no interleaving takes', () => {
    const [node] = explore(walker, complete(2), { wishes: 1, coverage: true }).coverage ?? [];
    expect(node).toEqual({
      role: 'node',
      transitions: 7,
      taken: 2,
      missed: ['here: hi', 'there: go [never] → here', 'there: go → gone', 'there: hi', 'gone: hi'],
    });
  });

  it('grows with the budget, and stops at what cannot be', () => {
    const [node] = explore(walker, complete(2), { wishes: 2, coverage: true }).coverage ?? [];
    expect(node?.missed).toEqual(['here: hi', 'there: go [never] → here', 'there: hi', 'gone: hi']);
  });

  it('is told for each role, and is complete where everything happens', () => {
    const roles = explore(centralLock, star(3), { wishes: 2, coverage: true }).coverage ?? [];
    expect(roles.map(({ role }) => role)).toEqual(Object.keys(centralLock.roles));
    expect(roles.flatMap(({ missed }) => missed)).toEqual([]);
  });

  it('is not told unless asked for', () => {
    expect(explore(walker, complete(2))).not.toHaveProperty('coverage');
  });
});
