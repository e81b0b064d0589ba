/** A guard that fails where the environment looks whether a node takes something: a run shows it. */
import { describe, expect, it } from 'vitest';
import { assign, setup } from 'xstate';
import { defineProtocol } from '../../protocol/define-protocol.js';
import { standardProperties } from '../../protocol/handles.js';
import type { Command, Message } from '../../protocol/node.js';
import { sometimes } from '../../protocol/property.js';
import type { ProtocolDefinition } from '../../protocol/protocol.js';
import { complete } from '../../topology/generators.js';
import { needs } from '../../topology/index.js';
import { linesText } from '../../trace/trace.js';
import { paths } from '../model/paths.js';
import { walk } from '../walk/walk.js';
import { explore } from './explore.js';

const [, , noStepFails = ''] = standardProperties;

const fail = (): never => {
  throw new Error('no price');
};

type Definition = ProtocolDefinition<Message, Command>;

interface Parts {
  readonly fails: 'guard' | 'action' | 'nothing';
  readonly isConditional?: boolean;
  readonly change?: Partial<Definition>;
}

/** A till that cannot be paid. */
function till({ fails, isConditional = false, change = {} }: Parts) {
  const machine = setup({
    actions: { charge: assign(fails === 'action' ? fail : {}) },
    guards: { isDear: fails === 'guard' ? fail : () => true },
  }).createMachine({
    context: {},
    initial: 'scanning',
    states: {
      scanning: { on: { total: 'paying' } },
      paying: { on: { pay: { guard: 'isDear', target: 'paid', actions: 'charge' } } },
      paid: { tags: 'paid' },
    },
  });
  return defineProtocol({
    ...{ name: 'till', title: 'Till', problem: 'till', citation: 'none', messages: {} },
    topology: needs.connected,
    channels: { order: 'any', loss: false, duplication: false },
    roles: { node: { machine, input: () => ({}) } },
    commands: {
      total: { kind: 'optional', meaning: 'the sum' },
      pay: {
        ...{ kind: 'optional', meaning: 'pay' },
        ...(isConditional && { when: ({ value }) => value === 'paying' }),
      },
    },
    waiting: false,
    properties: [sometimes('a node', ({ nodes }) => nodes.length > 0)],
    ...change,
  });
}

const kinds = (['guard', 'action'] as const).flatMap((fails) =>
  [false, true].map((isConditional) => ({ fails, isConditional })),
);

describe('a failing step', () => {
  it.each(kinds)('violates `no step fails`, with its run: $fails, when $isConditional', (parts) => {
    const protocol = till(parts);
    const one = complete(1);
    const found = [
      explore(protocol, one),
      explore(protocol, one, { unexpected: 'discard' }),
      walk(protocol, one, { walks: 5, steps: 5, seed: 1 }),
    ];
    for (const { properties } of found) {
      const finding = properties.find(({ name }) => name === noStepFails);
      expect(finding?.verdict).toBe('violated');
      const { header, lines = [] } = finding?.trace ?? {};
      expect(linesText(lines)).toBe('a  total  scanning → paying\n');
      expect(header?.get('fault')).toMatch(/no price. It was in 'paying' when it was told 'pay'/);
    }
    expect(paths(protocol, one).fault).toContain('no price');
  });
});

describe('a function of a definition that fails', () => {
  const { roles } = till({ fails: 'nothing' });
  const machine = roles.node?.machine as NonNullable<typeof roles.node>['machine'];

  it.each<[string, Partial<Definition>]>([
    ["input of role 'node'", { roles: { node: { machine, input: fail } } }],
    ['roleOf', { roleOf: fail }],
  ])('says its name, and the node: %s', (name, change) => {
    expect(() => explore(till({ fails: 'nothing', change }), complete(1))).toThrow(
      expect.objectContaining({
        code: 'bad-protocol',
        what: expect.stringMatching(
          `^Protocol 'till': ${name} fails for node a of '.+': no price$`,
        ),
      }),
    );
  });
});
