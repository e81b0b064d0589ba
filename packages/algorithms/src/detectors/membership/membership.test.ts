import { explore, walk } from '@conclave/check';
import type { NodeView, Protocol } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { everyInterleaving, everyInterleavingOfVariant } from '../../contract/explored.contract.js';
import { failing, propertyNamed } from '../../contract/findings.contract.js';
import { withMachine, withState } from '../../contract/machines.contract.js';
import { machine } from './membership.js';
import { membership } from './protocol.js';

const protocol = membership();
const sameMembers = 'views with the same number have the same members';
/** In the middle of a step, and what was sent in earlier steps may be lost with it. */
const crash = { crashes: 1, unsent: true } as const;
/** The coordinator crashes while it removes another member. */
const twoCrashes = {
  crashes: 2,
  unsent: true,
  mayCrash: ({ id }: NodeView) => id === 'a' || id === 'd',
} as const;
const data = [{ type: 'multicast', data: 'x' }] as const;
const [join, leave] = [{ type: 'join' }, { type: 'leave' }] as const;

/** One node may join the first two. */
const withOutsider = membership({ founders: 2 });

const mutant = (refuted: string, changed: Parameters<typeof withMachine>[1], of = protocol) => ({
  protocol: withMachine(of, changed),
  refuted,
});
const onOf = (state: 'open' | 'flushing' | 'collecting') => machine.config.states?.[state]?.on;

describe('C5 membership: every interleaving', () => {
  everyInterleaving(
    protocol,
    [
      [
        '2 and 3 members, one of them multicasts and leaves, a crash',
        [
          {
            topology: complete(2),
            budget: { ...crash, inputs: [...data, leave], initiators: ['b'] },
          },
          {
            topology: complete(3),
            budget: { ...crash, inputs: [...data, leave], initiators: ['b'] },
          },
        ],
        {},
        3051,
      ],
      [complete(3), { ...crash, inputs: data, initiators: ['b', 'c'] }, 1965],
    ],
    {
      'a coordinator does not wait for the last answer': mutant(
        'complete:3, 13 steps: all live members have the same view, of exactly the live members, and have delivered the same messages in it',
        machine.provide({ guards: { allAnswered: ({ context }) => context.awaiting.length <= 1 } }),
      ),
      'a member multicasts during the flush': mutant(
        'complete:2, 8 steps: a message is delivered in the view in which it was sent, or in the next one if it was sent during a flush',
        withState(machine, ['flushing'], {
          on: { ...onOf('flushing'), multicast: { actions: 'multicast' } },
        }),
      ),
    },
  );
});

describe('C5 membership: nodes join', () => {
  everyInterleaving(withOutsider, [
    [complete(3), { ...crash, inputs: [join, ...data], initiators: ['c'] }, 2069],
  ]);
});

describe('C5 membership: FIFO order', () => {
  const fifo = membership({ order: 'fifo' });
  everyInterleaving(
    fifo,
    [
      [complete(3), { ...crash, inputs: data, initiators: ['a', 'c'] }, 2496],
      [complete(2), { ...crash, inputs: data, commands: 2 }, 1278],
    ],
    {
      'a member does not tell what it has': mutant(
        'complete:3, 7 steps: an answer counts, waits for its view, or is answered with the next view',
        machine.provide({ actions: { collect: machine.implementations.actions.bringUp as never } }),
        fifo,
      ),
    },
  );
});

describe('C5 membership: state transfer', () => {
  everyInterleaving(membership({ founders: 1, stateTransfer: true }), [
    [complete(2), { ...crash, inputs: [join, ...data] }, 340],
  ]);
});

describe('C5 membership: what was sent before a crash arrives after the return', () => {
  everyInterleavingOfVariant(membership({ window: 1, stateTransfer: true }), [
    [complete(2), { ...crash, restarts: 1, inputs: [...data, leave, join] }, 102_613],
  ]);
});

describe('C5 membership: a node that wants to join is not forgotten', () => {
  const [transfer, joins] = [membership({ window: 1, stateTransfer: true }), { inputs: [join] }];
  const only =
    (...ids: readonly string[]) =>
    ({ id }: NodeView) =>
      ids.includes(id);
  const changes = { ...crash, inputs: [join, leave], mayCrash: only('a') };

  proof.each([
    [
      'two of three members crash and come back',
      protocol,
      { ...joins, crashes: 2, restarts: 2, mayCrash: only('a', 'c') },
      45_918,
    ],
    [
      'one of three members leaves and joins twice, and the coordinator crashes',
      transfer,
      { ...changes, commands: 2, initiators: ['c'] },
      7889,
    ],
    [
      'two of three members leave and join, and the coordinator crashes',
      transfer,
      { ...changes, initiators: ['a', 'c'] },
      30_499,
    ],
  ] as const)('%s', (_name, of, budget, states) => {
    const properties = of.properties.filter(({ kind }) => kind !== 'sometimes');
    const found = explore(of, complete(3), { ...budget, properties });
    expect([found.complete, found.states, ...failing(found)]).toEqual([true, states]);
  });

  proof.each([
    [
      'two of three members crash and come back',
      protocol,
      3,
      { ...joins, crashes: 2, restarts: 2 },
    ],
    [
      'a member leaves and joins again, another node joins, and the coordinator crashes',
      membership({ founders: 3 }),
      4,
      { ...changes, initiators: ['b', 'd'] },
    ],
  ] as const)('walks: %s', (_name, of, n, budget) => {
    const found = walk(of, complete(n), { ...budget, walks: 2000, steps: 60, seed: 2 });
    expect(found.properties.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
  });
});

describe('C5 membership: a coordinator is replaced', () => {
  const judged = (of: Protocol) =>
    explore(of, complete(4), {
      ...twoCrashes,
      inputs: [],
      properties: [propertyNamed(of.properties, sameMembers)],
      all: false,
    });

  proof('4 members, the coordinator crashes while it removes another one', () => {
    const found = judged(protocol);
    expect([found.complete, found.states, ...failing(found)]).toEqual([true, 4729]);
  });

  it('the explorer refutes the mutant: a member follows a coordinator that was replaced', () => {
    const follows = machine.provide({
      guards: {
        isNextView: ({ context, event }) => 'number' in event && event.number > context.number,
      },
    });
    const [first] = judged(withMachine(protocol, follows)).properties;
    expect([first?.verdict, first?.trace?.lines.length]).toEqual(['violated', 17]);
  });
});
