import type { Protocol } from '@conclave/core/protocol';
import { compile } from '@conclave/core/protocol';
import type { Topology } from '@conclave/core/topology';
import { complete, star } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { and, assign, not, setup, stateIn } from 'xstate';
import { byXState } from '../../../core/src/protocol/compiled/stepper.js';
import {
  calls,
  cards,
  centralLock,
  minimalProtocol,
} from '../../../core/src/protocol/examples.contract.js';
import { explore } from '../explore/explore.js';
import { CompiledWorlds } from '../search/tables/compiled-worlds.js';
import { search } from '../search/traversal/search.js';
import type { Budget } from '../worlds/budget.js';
import { Worlds } from '../worlds/worlds.js';
import { coverage, watchMachine } from './coverage.js';

/**
 * A node with the command `go`; one of its transitions needs a second `go`, another a guard that
 * never holds.
 */
const walker = minimalProtocol(
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
      here: {
        always: { guard: 'some', target: 'there' },
        on: { go: { actions: assign({ steps: 1 }) }, hi: {} },
      },
      there: { on: { go: [{ guard: 'never', target: 'here' }, { target: 'gone' }], hi: {} } },
      gone: { on: { hi: {} } },
    },
  }),
  {
    commands: { go: { kind: 'optional', meaning: 'walk' } },
    messages: { hi: { meaning: 'never sent' } },
  },
);

/** A lamp of which one press turns on the fan beside it; from the third press on it is bright. */
const lamp = minimalProtocol(
  setup({
    types: {} as { context: { presses: number }; events: { type: 'press' } | { type: 'hi' } },
    actions: { count: assign(({ context }) => ({ presses: context.presses + 1 })) },
    guards: {
      isBroken: () => false,
      over: ({ context }, { presses }: { presses: number }) => context.presses > presses,
    },
  }).createMachine({
    context: { presses: 0 },
    type: 'parallel',
    states: {
      lamp: {
        initial: 'off',
        states: {
          off: { on: { press: { target: 'on', actions: 'count' } } },
          on: {
            initial: 'dim',
            on: { press: { guard: not('isBroken'), target: 'off', actions: 'count' } },
            states: {
              dim: {
                always: { guard: { type: 'over', params: { presses: 2 } }, target: 'bright' },
              },
              bright: {
                on: {
                  press: {
                    guard: and([{ type: 'over', params: { presses: 4 } }, not('isBroken')]),
                    target: 'dim',
                  },
                },
              },
            },
          },
        },
      },
      fan: {
        initial: 'still',
        states: {
          still: {
            on: {
              press: { guard: and([stateIn({ lamp: 'off' }), not('isBroken')]), target: 'turning' },
            },
          },
          turning: {},
        },
      },
    },
    on: { hi: {} },
  }),
  {
    commands: { press: { kind: 'optional', meaning: 'touch it' } },
    messages: { hi: { meaning: 'never sent' } },
  },
);

const machine = setup({
  types: {} as { context: { told: number }; input: { told?: number }; events: { type: 'tell' } },
  actions: { remember: assign({ told: 1 }) },
  guards: { knows: ({ context }) => context.told > 0 },
}).createMachine({
  context: ({ input }) => ({ told: input.told ?? 0 }),
  initial: 'born',
  states: {
    born: { always: [{ guard: 'knows', target: 'reborn' }, { target: 'young' }] },
    young: { on: { tell: { actions: 'remember' } } },
    reborn: {},
  },
});

/** A node that keeps over a crash what it received. */
const phoenix = minimalProtocol(machine, {
  roles: { node: { machine, input: () => ({}), stable: ['told'] } },
  commands: { tell: { kind: 'optional', meaning: 'remember this' } },
});

const covered = (...[protocol, topology, options]: Parameters<typeof explore>) =>
  explore(protocol, topology, { ...options, coverage: true }).coverage ?? [];

describe('coverage', () => {
  it('names the transitions that no interleaving takes, and the states that none enters', () => {
    expect(covered(walker, complete(2), { commands: 1 })).toEqual([
      {
        role: 'node',
        transitions: 7,
        taken: 2,
        missed: [
          'here: hi',
          'there: go [never] → here',
          'there: go → gone',
          'there: hi',
          'gone: hi',
        ],
        guards: { asked: 1, neverTrue: [], neverFalse: [] },
        unentered: ['gone'],
        undelivered: ['here: hi', 'there: hi'],
      },
    ]);
  });

  it('asks a guard also where it keeps a command out', () => {
    const till = setup({
      types: {} as { context: { items: number }; events: { type: 'add' | 'pay' } },
      guards: {
        isSmall: ({ context }) => context.items < 2,
        isFull: ({ context }) => context.items > 0,
        always: () => true,
      },
    }).createMachine({
      context: { items: 0 },
      initial: 'open',
      states: {
        open: {
          on: {
            add: {
              guard: 'isSmall',
              actions: assign({ items: ({ context }) => context.items + 1 }),
            },
            pay: { guard: 'isFull', target: 'paid' },
          },
        },
        paid: { on: { pay: { guard: 'always', target: 'paid' } } },
      },
    });
    const meaning = 'done by the till';
    const commands = {
      add: { kind: 'optional', meaning },
      pay: { kind: 'optional', meaning },
    } as const;
    const protocol = minimalProtocol(till, { commands });
    expect(covered(protocol, complete(1), { commands: 3 })[0]?.guards).toEqual({
      asked: 3,
      neverTrue: [],
      neverFalse: ['paid: pay [always] → paid'],
    });
  });

  it('grows with the budget, up to what is possible', () => {
    const [node] = covered(walker, complete(2), { commands: 2 });
    expect(node?.missed).toEqual(['here: hi', 'there: go [never] → here', 'there: hi', 'gone: hi']);
    expect(node?.guards).toEqual({
      asked: 2,
      neverTrue: ['there: go [never] → here'],
      neverFalse: [],
    });
    expect(node?.unentered).toEqual([]);
  });

  const lampOn = 'lamp.on: press [not isBroken] → lamp.off';
  const brighten = 'lamp.on.dim: always [over(presses = 2)] → lamp.on.bright';
  const darken = 'lamp.on.bright: press [over(presses = 4) and not isBroken] → lamp.on.dim';
  const turn = 'fan.still: press [in lamp.off and not isBroken] → fan.turning';
  const nothingCame = (...paths: readonly string[]) => paths.map((path) => `${path}: hi`);

  it.each([
    {
      presses: 1,
      missed: [lampOn, brighten, darken],
      guards: { asked: 2, neverTrue: [brighten], neverFalse: [turn] },
      unentered: ['lamp.on.bright'],
      undelivered: nothingCame('lamp.off', 'lamp.on.dim', 'fan.still', 'fan.turning'),
    },
    {
      presses: 3,
      missed: [darken],
      guards: { asked: 3, neverTrue: [], neverFalse: [lampOn, turn] },
      unentered: [],
      undelivered: nothingCame(
        'lamp.off',
        'lamp.on.dim',
        'lamp.on.bright',
        'fan.still',
        'fan.turning',
      ),
    },
    {
      presses: 4,
      missed: [darken],
      guards: { asked: 4, neverTrue: [darken], neverFalse: [lampOn, turn] },
      unentered: [],
      undelivered: nothingCame(
        'lamp.off',
        'lamp.on.dim',
        'lamp.on.bright',
        'fan.still',
        'fan.turning',
      ),
    },
    {
      presses: 6,
      missed: [],
      guards: { asked: 4, neverTrue: [], neverFalse: [lampOn, turn] },
      unentered: [],
      undelivered: nothingCame(
        'lamp.off',
        'lamp.on.dim',
        'lamp.on.bright',
        'fan.still',
        'fan.turning',
      ),
    },
  ])(
    'counts guards that XState evaluates within and beside other states: after $presses presses',
    ({ presses, missed, ...rest }) => {
      const [node] = covered(lamp, complete(2), { commands: presses, initiators: ['a'] });
      expect(node).toEqual({
        role: 'node',
        transitions: 6,
        taken: 6 - missed.length - 1,
        missed: ['(machine): hi', ...missed],
        ...rest,
      });
    },
  );

  it('is reported for each role', () => {
    expect(covered(centralLock, star(3), { commands: 2 })).toEqual([
      {
        role: 'keeper',
        transitions: 3,
        taken: 3,
        missed: [],
        guards: { asked: 1, neverTrue: [], neverFalse: [] },
        unentered: [],
        undelivered: ['free: free'],
      },
      {
        role: 'client',
        transitions: 3,
        taken: 3,
        missed: [],
        guards: { asked: 0, neverTrue: [], neverFalse: [] },
        unentered: [],
        undelivered: ['idle: grant', 'critical: grant'],
      },
    ]);
  });

  it('counts timeouts, and late answers', () => {
    const all = {
      role: 'node',
      transitions: 6,
      taken: 6,
      missed: [],
      unentered: [],
      undelivered: [],
    };
    const isOurs = 'calling: pong [isOurs] → idle';
    expect(covered(calls, complete(2), { commands: 1 })).toEqual([
      { ...all, guards: { asked: 2, neverTrue: [], neverFalse: [isOurs] } },
    ]);
    expect(covered(calls, complete(2), { commands: 2, initiators: ['a'] })).toEqual([
      {
        ...all,
        guards: { asked: 2, neverTrue: [], neverFalse: [] },
        undelivered: ['calling: ping'],
      },
    ]);
  });

  it('counts answers to choices', () => {
    const high = '(machine): chosen [isHigh]';
    const role = { role: 'node', transitions: 4, unentered: [], undelivered: [] };
    expect(covered(cards, complete(2), { commands: 0 })).toEqual([
      {
        ...role,
        taken: 2,
        missed: ['(machine): play', high],
        guards: { asked: 1, neverTrue: [high], neverFalse: [] },
      },
    ]);
    expect(covered(cards, complete(2), { initiators: ['a'] })).toEqual([
      { ...role, taken: 4, missed: [], guards: { asked: 1, neverTrue: [], neverFalse: [] } },
    ]);
  });

  it('counts what a node does when it restarts', () => {
    const all = { role: 'node', transitions: 3, undelivered: [] };
    const knows = 'born: always [knows] → reborn';
    expect(covered(phoenix, complete(2), { crashes: 1 })).toEqual([
      {
        ...all,
        taken: 2,
        missed: [knows],
        guards: { asked: 1, neverTrue: [knows], neverFalse: [] },
        unentered: ['reborn'],
      },
    ]);
    expect(covered(phoenix, complete(2), { crashes: 1, restarts: 1 })).toEqual([
      {
        ...all,
        taken: 3,
        missed: [],
        guards: { asked: 1, neverTrue: [], neverFalse: [] },
        unentered: [],
      },
    ]);
  });

  it('counts what a step did before its fault', () => {
    const clumsy = minimalProtocol(
      setup({
        actions: {
          break: assign(() => {
            throw new Error('ouch');
          }),
        },
        guards: { dares: () => true },
      }).createMachine({
        context: {},
        initial: 'whole',
        states: {
          whole: { on: { fall: { guard: 'dares', target: 'broken', actions: 'break' } } },
          broken: {},
        },
      }),
      { commands: { fall: { kind: 'optional', meaning: 'fall' } } },
    );
    expect(covered(clumsy, complete(2), {})).toEqual([
      {
        role: 'node',
        transitions: 1,
        taken: 1,
        missed: [],
        guards: { asked: 1, neverTrue: [], neverFalse: ['whole: fall [dares] → broken'] },
        unentered: ['broken'],
        undelivered: [],
      },
    ]);
  });

  proof.each<[string, Protocol, Topology, Budget]>([
    ['walkers', walker, complete(2), { commands: 2 }],
    ['lamps', lamp, complete(2), { commands: 5 }],
    [
      'callers that crash and come back',
      calls,
      complete(2),
      { commands: 2, crashes: 1, restarts: 1, losses: 1 },
    ],
    ['card players', cards, complete(2), {}],
    ['a node that keeps what it received', phoenix, complete(2), { crashes: 1, restarts: 1 }],
    ['a lock', centralLock, star(3), { commands: 2 }],
  ])(
    'is the same whether XState or the compiled machine repeats the steps: %s',
    (_, protocol, topology, budget) => {
      const worlds = new CompiledWorlds(new Worlds(protocol, topology, budget));
      const goOn = () => true;
      search(worlds, {}, { found: goOn, ended: goOn, fault: goOn, progress: () => {} });
      const byPlans = coverage(worlds);
      expect(byPlans).toEqual(coverage(worlds, undefined, byXState));
      expect(byPlans.some(({ taken }) => taken > 0)).toBe(true);
      for (const { machine } of Object.values(protocol.roles))
        expect(compile(watchMachine(machine).machine).uncompiled).toBeUndefined();
    },
  );

  it('is reported only on request', () => {
    expect(explore(walker, complete(2))).not.toHaveProperty('coverage');
  });
});
