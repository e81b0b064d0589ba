/** What XState 5 does not notice in a machine, `defineProtocol` refuses. */
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, createMachine } from 'xstate';
import { ConclaveError } from '../base/error.js';
import { complete, needs, ring, Topology } from '../topology/index.js';
import { requireTopology } from './check.js';
import { calls, centralLock, minimalProtocol } from './examples.contract.js';
import type { Protocol } from './protocol.js';

/** Only the untyped form of `createMachine` compiles with a deliberately wrong configuration. */
const machine = (config: object): AnyStateMachine => createMachine(config);
describe('defineProtocol refuses', () => {
  const go = { commands: { go: { kind: 'optional', meaning: 'go' } } } as const;
  const refused = (config: object) => {
    try {
      minimalProtocol(machine(config), go);
      return 'accepted';
    } catch (error) {
      return error instanceof ConclaveError ? `${error.code}: ${error.message}` : error;
    }
  };

  it.each<[string, object, string]>([
    ['onEntry', { onEntry: 'note' }, 'entry'],
    ['onExit', { onExit: 'note' }, 'exit'],
    ['activities', { activities: ['beep'] }, 'invoke'],
    ['data', { data: { n: 1 } }, 'output'],
    ['in', { on: { go: { target: 'b', in: '#m.b' } } }, 'guard: stateIn(…)'],
    ['internal', { always: { target: 'b', internal: true } }, 'reenter, the opposite'],
    ['in', { after: { 5: { target: 'b', in: 'b' } } }, 'guard: stateIn(…)'],
  ])('the word `%s` of XState 4: %j', (word, a, now) => {
    const config = { id: 'm', initial: 'a', states: { a: { on: { go: {} }, ...a }, b: {} } };
    expect(refused(config)).toBe(
      `bad-protocol: Protocol 'tiny': role 'node', state 'm.a' has '${word}', a word of XState 4 that XState 5 ignores. Write ${now}.`,
    );
  });

  it('an initial state that does not exist, also of an inner state', () => {
    const outer = { id: 'm', initial: 'q', states: { a: { on: { go: {} } }, b: {} } };
    expect(refused(outer)).toBe(
      "bad-protocol: Protocol 'tiny': role 'node', state 'm' begins in 'q', which does not exist. It has a, b.",
    );
    const inner = { id: 'm', initial: 'a', states: { a: { initial: 'q', states: { c: {} } } } };
    expect(refused(inner)).toContain("state 'm.a' begins in 'q', which does not exist. It has c.");
  });

  it.each([5, 'text', true, [1]])('a context that is no object: %j', (context) => {
    expect(refused({ context, on: { go: {} } })).toBe(
      `bad-protocol: Protocol 'tiny': role 'node': its context is ${JSON.stringify(context)}, and no object. Give it fields, as in context: { count: 0 }.`,
    );
  });
});

describe('requireTopology', () => {
  it('says what is missing, and names a suitable network', () => {
    expect(() => requireTopology(calls, ring(12))).toThrow(
      expect.objectContaining({
        code: 'bad-topology',
        message:
          "Tiny needs a complete network; in 'ring:12' a and c have no link between them. Try complete:8.",
      }),
    );
    expect(() => requireTopology(calls, ring(2, {}))).not.toThrow();
  });

  it('accepts a suitable network', () => {
    expect(() => requireTopology(calls, complete(4))).not.toThrow();
    expect(() => requireTopology(centralLock, needs.star.example(5))).not.toThrow();
  });

  it('refuses a network in which a node has no role', () => {
    const lost: Protocol = {
      ...centralLock,
      roleOf: (node) => (node === 'c' ? 'guest' : 'client'),
    };
    expect(() => requireTopology(lost, needs.star.example(3))).toThrow(
      expect.objectContaining({
        code: 'bad-protocol',
        message:
          "Protocol 'central-lock': roleOf(c) is 'guest', which is not one of its roles. It has keeper, client.",
      }),
    );
    expect(() =>
      requireTopology(lost, new Topology('pair', ['a', 'b'], needs.star.example(2).links)),
    ).not.toThrow();
  });
});
