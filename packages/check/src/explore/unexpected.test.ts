/** Messages that a state does not handle: refused by default, or discarded. */

import type { ProtocolDefinition } from '@conclave/core/protocol';
import {
  type Command,
  defineProtocol,
  type Effect,
  type Message,
  never,
  type Received,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { complete, needs } from '@conclave/core/topology';
import { linesText, parseTrace, replay, traceText } from '@conclave/core/trace';
import { sampled } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign, enqueueActions, setup } from 'xstate';
import { minimalProtocol, type Self } from '../../../core/src/protocol/examples.contract.js';
import { everyMessageHandled, noStepFails } from '../../../core/src/protocol/handles.js';
import { finding } from '../fixtures/explored.contract.js';
import { askable, plainly, probes, systems } from '../fixtures/systems.contract.js';
import { truthOf } from '../fixtures/truth.contract.js';
import { budgetOf } from '../follow/budget-of.js';
import { follow } from '../follow/follow.js';
import { paths } from '../model/paths.js';
import { walk } from '../walk/walk.js';
import { noDeadlock } from '../worlds/standard-properties.js';
import { explore } from './explore.js';

// `a` knocks twice. The second knock meets an open door, whose state does not handle it.

const doorWith = (onSecond: object) =>
  setup({
    types: {} as {
      input: Self;
      context: Self;
      events: { type: 'go' } | Received<{ type: 'knock' }>;
      emitted: Effect<{ type: 'knock' }>;
    },
    actions: {
      knockTwice: enqueueActions(({ context, enqueue }) => {
        const [other = ''] = context.peers;
        enqueue.emit(send(other, { type: 'knock' }));
        enqueue.emit(send(other, { type: 'knock' }));
      }),
      fail: assign(() => {
        throw new Error('no such door');
      }),
    },
  }).createMachine({
    context: ({ input }) => input,
    initial: 'closed',
    states: {
      closed: { on: { go: { actions: 'knockTwice' }, knock: 'open' } },
      open: { tags: 'critical', on: onSecond },
    },
  });

const properties = [
  never('both doors are open', (system) => system.count('critical') === 2),
  sometimes(
    'a door is open, and no knock is on its way',
    (system) => system.count('critical') === 1 && system.inFlight().length === 0,
  ),
];

const doors = (onSecond: object = {}) =>
  minimalProtocol(doorWith(onSecond), {
    messages: { knock: { meaning: 'let me in' } },
    commands: {
      go: { kind: 'optional', meaning: 'knock', when: ({ value }) => value === 'closed' },
    },
    properties,
  });

const once = { initiators: ['a'] };
const discarding = { ...once, unexpected: 'discard' } as const;

describe('an unexpected message', () => {
  it('is a violation, and ends the run', () => {
    const found = explore(doors(), complete(2), once);
    expect(finding(found, everyMessageHandled).verdict).toBe('violated');
    expect(finding(found, 'a door is open, and no knock is on its way').verdict).toBe('incomplete');
    expect(found.discarded).toBe(undefined);
    expect(explore(doors(), complete(2), { ...once, unexpected: 'refuse' })).toMatchObject({
      states: found.states,
      assumptions: found.assumptions,
    });
  });

  it('is discarded where it may be: the run goes on, and the result says so', () => {
    const found = explore(doors(), complete(2), discarding);
    expect(found.complete).toBe(true);
    expect(found.steps.confirmed).toBe(found.steps.distinct);
    expect(found.properties.map(({ name, verdict }) => [name, verdict])).toEqual([
      ['both doors are open', 'holds'],
      ['a door is open, and no knock is on its way', 'reached'],
      [noDeadlock, 'vacuous'],
      [noStepFails, 'holds'],
    ]);
    expect(found.discarded).toEqual([{ role: 'node', state: 'open', message: 'knock', steps: 1 }]);
    expect(found.assumptions).toContain(
      "that a node discards a message that its state does not handle: 'knock' in 'open'",
    );
  });

  it('does not hide a violation behind it', () => {
    const found = explore(doors(), complete(2), { unexpected: 'discard' });
    expect(finding(found, 'both doors are open')).toMatchObject({ verdict: 'violated' });
  });

  it('is not assumed where all messages are handled', () => {
    const found = explore(doors({ knock: {} }), complete(2), discarding);
    expect(found.discarded).toEqual([]);
    expect(found.assumptions).toEqual(explore(doors({ knock: {} }), complete(2), once).assumptions);
  });

  it('is none where a step fails', () => {
    const found = explore(doors({ knock: { actions: 'fail' } }), complete(2), discarding);
    expect(finding(found, noStepFails).verdict).toBe('violated');
    expect(found.discarded).toEqual([]);
  });

  it('has a line in the trace, which replays and can be followed', () => {
    const protocol = doors();
    const found = explore(protocol, complete(2), discarding);
    const { trace } = finding(found, 'a door is open, and no knock is on its way');
    if (!trace) throw new Error('it is reached');
    expect(linesText(trace.lines)).toMatch(/b {2}knock from a +open\n$/);
    const read = parseTrace(traceText(trace));
    expect(replay(protocol, complete(2), read)).toEqual({ steps: 3 });
    expect(budgetOf(protocol, read)).toMatchObject({ unexpected: 'discard' });
    expect(follow(protocol, complete(2), read, budgetOf(protocol, read)).steps).toBe(3);
    const refusing = { ...read, header: new Map([...read.header].slice(0, 2)) };
    expect(replay(protocol, complete(2), refusing).divergence?.found).toBe(
      "cannot happen: b does not take 'knock' here",
    );
  });

  it('is discarded on walks', () => {
    const walked = walk(doors(), complete(2), { ...discarding, seed: 1, walks: 5, steps: 9 });
    expect(walked.properties.map(({ verdict }) => verdict)).toEqual([
      'incomplete',
      'reached',
      'incomplete',
      'incomplete',
    ]);
  });
});

const [refusing = [], others = []] = [true, false].map((isRefused) =>
  systems.filter(
    ([, protocol, topology, options]) =>
      (finding(explore(protocol, topology, options), everyMessageHandled).verdict ===
        'violated') ===
      isRefused,
  ),
);

describe('discarding, beside the definition', () => {
  it.each(sampled(refusing, 3))('%s', (_name, protocol, topology, options) => {
    const budget = { ...options, unexpected: 'discard' } as const;
    const truth = truthOf(protocol, topology, budget);
    const found = explore(protocol, topology, { ...budget, properties: askable(protocol, probes) });
    const { states, transitions, depth } = found;
    expect({ states, transitions, depth }).toEqual({
      states: truth.states,
      transitions: truth.transitions,
      depth: truth.depth,
    });
    expect(found.discarded?.length).toBeGreaterThan(0);
    for (const { name, kind, verdict } of found.properties) {
      const [yes, no] = kind === 'sometimes' ? ['reached', 'unreached'] : ['violated', 'holds'];
      expect([name, plainly(verdict)]).toEqual([name, truth.nearest.has(name) ? yes : no]);
    }
  });

  it.each(sampled(others, 2))('%s: nothing changes', (_name, protocol, topology, options) => {
    const found = explore(protocol, topology, { ...options, unexpected: 'discard' });
    expect(found.states).toBe(explore(protocol, topology, options).states);
    expect(found.discarded).toEqual([]);
  });
});

// A guard that fails where the environment looks whether a node takes something: a run shows it.

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

it.each(kinds)(
  'a failing step violates `no step fails`, with its run: $fails, when $isConditional',
  (parts) => {
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
  },
);

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
