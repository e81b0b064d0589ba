import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import {
  always,
  alwaysEventually,
  leadsTo,
  type NodeView,
  type Property,
  type Protocol,
} from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages, type Workload } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { type AnyStateMachine, assign } from 'xstate';
import { failing, propertyNamed } from '../../contract/findings.contract.js';
import { withMachine, withState } from '../../contract/machines.contract.js';
import { multicastContract, uniformAgreement } from '../multicast.contract.js';
import { agreement, type Command, integrity, reliableMulticast, validity } from '../multicast.js';
import { lastDelivered, unstableMessages } from './knowledge.js';
import { machine } from './negative-multicast.js';
import { negativeMulticast } from './protocol.js';

const protocol = negativeMulticast();
/** Every message takes 100 ms: far fewer interleavings. */
const fixed = { time: { kind: 'exact', delay: [100, 100] } } as const;

/** Judged by the properties of the problem alone. */
const mutant = (refuted: string, changed: AnyStateMachine) => ({
  protocol: withMachine({ ...protocol, properties: reliableMulticast } as Protocol, changed),
  refuted,
});

const mutants = {
  'a member keeps only its own messages': mutant(
    'complete:3, 4 steps: all live members eventually deliver what a live member has delivered',
    machine.provide({
      actions: {
        discard: assign(({ context }) => ({
          buffer: unstableMessages(context).filter(
            ({ origin, sequence }) =>
              origin === context.self || sequence > lastDelivered(context, origin),
          ),
        })),
      },
    }),
  ),
};

multicastContract({
  protocol,
  settled: 6_000,
  topologies: [complete(2), complete(3)],
  small: [
    { topology: complete(2), budget: { initiators: ['a'], commands: 2 } },
    { topology: complete(3), budget: { initiators: ['a'], ...fixed } },
  ],
  explored: [
    [complete(2), { initiators: ['a'], commands: 2 }, 471],
    [complete(3), { initiators: ['a'], losses: 1, crashes: 1, ...fixed }, 6_824],
    [complete(2), { initiators: ['a'], commands: 2, losses: 2, crashes: 1 }, 13_881],
    [complete(2), { losses: 1, crashes: 1 }, 32_179],
    [
      complete(2),
      { initiators: ['a'], losses: 1, duplications: 1, crashes: 1, restarts: 1 },
      2_996,
    ],
    [complete(3), { initiators: ['a'], losses: 1, duplications: 1 }, 10_451],
    [complete(3), { initiators: ['a', 'b'], ...fixed }, 4_101],
    [complete(4), { initiators: ['a'], losses: 1, ...fixed }, 745],
  ],
  mutants,
});

const multicast = (data: number): Command => ({ type: 'multicast', data });

/**
 * The messages of a run in which the first member multicasts `count` messages at once, each 100 ms
 * on its way.
 */
const messagesFor = (n: number, count: number) => {
  const topology = complete(n);
  const workload: Workload = (application) => {
    for (let index = 0; index < count; index++)
      application.later({ kind: 'fixed', ms: 10 * index }, () =>
        application.tell('a', multicast(index)),
      );
    return () => {};
  };
  const result = simulate({
    protocol: { ...protocol, properties: [] },
    topology,
    workload,
    conditions: { delay: { kind: 'fixed', ms: 100 } },
  });
  expect(result.ended).toBe('quiescent');
  return result.messages;
};

describe('negative-multicast cost', () => {
  it.each([2, 3, 8])(
    '%i members: k multicasts of one sender in one period cost (k+3)(n−1) messages',
    (n) => {
      for (const k of [1, 2, 10])
        expect(messagesFor(n, k)).toEqual({
          data: k * (n - 1),
          summary: n - 1,
          report: 2 * (n - 1),
        });
    },
  );
});

// What breaks without an assumption, by the shortest trace on the page; and what does not.

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const a = { initiators: ['a'] } as const;

/** The shortest trace of the violation of `property`, without timers and states, as on the page. */
function shortest(property: Property, given: Protocol, n: number, options: ExploreOptions): string {
  const found = explore(given, complete(n), { ...options, properties: [property] });
  expect(found.complete).toBe(true);
  const { trace } = propertyNamed(found.properties, property.name);
  if (!trace) throw new Error(`${property.name} holds`);
  expect(replay(given, complete(n), trace)).toEqual({ steps: trace.lines.length });
  return linesText(trace.lines)
    .replaceAll(/(, )?(start|cancel) \w+\.negative-multicast\.\S+( \d+ms)?/g, '')
    .replaceAll(/timeout (\w+)\.\S+/g, 'timeout $1')
    .replaceAll(/receiver\.\w+ & sender\.[\w.]+( → receiver\.\w+ & sender\.[\w.]+)?/g, '')
    .replaceAll(/\{origin: (\w), sequence: (\d)\}/g, '$1 $2')
    .replaceAll(/\.000ms/g, '')
    .replaceAll(/ *⇒ ,? *$/gm, '')
    .replaceAll(/⇒ , /g, '⇒ ')
    .replaceAll(/ {2,}/g, '  ')
    .replaceAll(/^ +| +$/gm, '')
    .trimEnd();
}

const steps = (trace: string) => trace.split('\n').length;

const has = (trace: string, length: number) => {
  expect(steps(trace)).toBe(length);
  expect(page).toContain(trace);
};

describe('negative-multicast assumptions', () => {
  it('without summaries, the last message is lost silently', () => {
    const silent = withState(
      withState(machine, ['sender', 'announcing'], { after: {} }),
      ['sender', 'standby', 'listening'],
      { on: { summary: { target: 'listening', reenter: true } }, after: {} },
    );
    has(shortest(validity, withMachine(protocol, silent), 2, { ...a, losses: 1 }), 2);
  });

  proof(
    'a restart without stable storage: a number is given twice; a receiver asks for what is no longer kept',
    () => {
      const { node } = protocol.roles;
      if (!node) throw new Error('it has one role');
      const forgetful: Protocol = { ...protocol, roles: { node: { ...node, stable: [] } } };
      const restart = { ...a, commands: 2, crashes: 1, restarts: 1 };
      has(shortest(integrity, forgetful, 2, restart), 4);
      const receiver = { ...restart, mayCrash: ({ id }: NodeView) => id === 'b' };
      expect(shortest(agreement, forgetful, 2, receiver)).toContain('b  restart');
      expect(
        failing(explore(protocol, complete(2), { ...restart, properties: [...reliableMulticast] })),
      ).toEqual([]);
    },
  );

  it('a crashed member ends stability: the others keep what it may lack', () => {
    const forgets = alwaysEventually('eventually no live member keeps a message', ({ nodes }) =>
      nodes.every(({ crashed, context }) => crashed || [context.buffer].flat().length === 0),
    );
    has(shortest(forgets, protocol, 2, { ...a, crashes: 1 }), 5);
    expect(
      failing(
        explore(protocol, complete(2), { ...a, crashes: 1, restarts: 1, properties: [forgets] }),
      ),
    ).toEqual([forgets.name]);
    expect(
      failing(explore(protocol, complete(2), { ...a, losses: 2, properties: [forgets] })),
    ).toEqual([]);
  });

  proof(
    'a message that only a crashed member had is asked for without end, and the later ones are held back',
    () => {
      const repaired = leadsTo(
        'a member that lacks a message eventually has it',
        ({ tags }) => tags.has('waiting'),
        ({ tags }) => !tags.has('waiting'),
      );
      has(shortest(repaired, protocol, 2, { ...a, commands: 2, losses: 1, crashes: 1 }), 7);
      expect(
        failing(
          explore(protocol, complete(2), { ...a, commands: 2, losses: 2, properties: [repaired] }),
        ),
      ).toEqual([]);
    },
  );

  it('agreement is not uniform: what only a crashed member has delivered, the others do not deliver', () => {
    has(shortest(uniformAgreement, protocol, 2, { ...a, losses: 1, crashes: 1 }), 3);
  });

  it('a partition that does not heal', () => {
    expect(steps(shortest(validity, protocol, 2, { ...a, partitions: 1 }))).toBe(6);
  });
});

describe('negative-multicast: what does not break', () => {
  proof('time-outs that are too short only cost messages', () => {
    const hasty = negativeMulticast({ period: 100, patience: 100, retry: 100 });
    expect(failing(explore(hasty, complete(2), { ...a, losses: 1, ...fixed }))).toEqual([]);
    const workload = oneShot({ type: 'multicast', data: 'x' } satisfies Command as Command, {
      nodes: ['a'],
    });
    const conditions = { delay: { kind: 'fixed', ms: 100 } } as const;
    const count = (given: Protocol) =>
      totalMessages(simulate({ protocol: given, topology: complete(3), workload, conditions }));
    expect([count(protocol), count(hasty)]).toEqual([8, 16]);
  });

  it('messages that overtake each other bring requests that are not needed', () => {
    const unasked = always(
      'no message is asked for',
      (system) => system.inFlight('nack').length === 0,
    );
    has(shortest(unasked, protocol, 2, { ...a, commands: 2 }), 3);
    const [found] = explore(protocol, complete(2), {
      ...a,
      commands: 2,
      order: 'fifo',
      properties: [unasked],
    }).properties;
    expect(found).toMatchObject({
      verdict: 'holds',
      remark: "nothing that it looks at changes: no message 'nack' is sent",
    });
  });
});
