import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { type LocalState, notify, send } from '@conclave/core/protocol';
import { oneShot, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { expectTight } from '../../contract/cost.contract.js';
import { failing, propertyNamed } from '../../contract/findings.contract.js';
import { mutantOf, takeAll } from '../../contract/machines.contract.js';
import { failingOverReliable } from '../../contract/sweep.contract.js';
import { multicastContract } from '../multicast.contract.js';
import {
  agreement,
  type Command,
  causalOrder,
  fifoOrder,
  integrity,
  validity,
} from '../multicast.js';
import { breakingRun, weakerOrders } from '../weaker-orders.js';
import {
  type Event,
  fifoMachine,
  hasPast,
  isNextOfSender,
  machine,
  machineBy,
} from './causal-multicast.js';
import { causalMulticast } from './protocol.js';

const protocol = causalMulticast();
const mutant = mutantOf(protocol, 'member');
const two = { initiators: ['a', 'b'] } as const;

multicastContract({
  protocol,
  topologies: [2, 3, 4].map((n) => complete(n)),
  small: [
    { topology: complete(2), budget: { commands: 2 } },
    { topology: complete(3), budget: two },
  ],
  explored: [
    [complete(2), { commands: 2 }, 1_993],
    [complete(3), {}, 5_009],
    [complete(3), { ...two, duplications: 1 }, 921],
    [complete(3), { ...two, commands: 2 }, 43_809],
    [complete(3), { crashes: 1, atomicSteps: true }, 32_708],
    [complete(2), { crashes: 1 }, 179],
    [complete(4), two, 689],
    [complete(4), { initiators: ['a', 'b', 'c'] }, 55_073],
    // `npm run verify` explores 4 members with 2 senders of 2 equal multicasts: 69,325 states.
  ],
  mutants: {
    'the condition leaves out the entry of the sender': mutant(
      'complete:2, 3 steps: the messages of each sender are delivered in the order in which it multicast them',
      machineBy(hasPast),
    ),
    'the condition leaves out the other entries': mutant(
      'complete:3, 4 steps: a member delivers each message after all that its sender had multicast or delivered before',
      fifoMachine,
    ),
  },
});

describe('causal-multicast rules', () => {
  const first: LocalState = start(machine, 'b', { self: 'b', peers: ['a', 'c'] }).state;
  const after = (state: LocalState, ...events: Event[]) => takeAll(machine, 'b', state, events);
  const message = (from: string, a: number, b: number, c: number): Event => ({
    type: 'message',
    vector: { a, b, c },
    data: `${from}${a}${b}${c}`,
    from,
  });
  const deliver = (from: string, sequence: number, data: string) =>
    notify({ type: 'deliver', from, sequence, data });

  it('[CB1] adds 1 to its own entry, sends the multicast with its vector to all others, and delivers it at once', () => {
    const { state, effects } = after(first, { type: 'multicast', data: 'x' });
    const sent = ['a', 'c'].map((peer) =>
      send(peer, { type: 'message', vector: { a: 0, b: 1, c: 0 }, data: 'x' }),
    );
    expect(effects).toEqual([...sent, deliver('b', 1, 'x')]);
    expect(state.context.vector).toEqual({ a: 0, b: 1, c: 0 });
  });

  it('[CB2] [CB3] delivers at once what has no undelivered past', () => {
    const { state, effects } = after(first, message('a', 1, 0, 0));
    expect(effects).toEqual([deliver('a', 1, 'a100')]);
    expect(state).toMatchObject({
      value: 'current',
      context: { vector: { a: 1, b: 0, c: 0 }, delayed: [] },
    });
  });

  it('[CB2] delays a message that comes before one of the same sender, or before one that its sender had delivered', () => {
    for (const early of [message('a', 2, 0, 0), message('a', 1, 0, 1)]) {
      const { state, effects } = after(first, early);
      expect(effects).toEqual([]);
      expect(state).toMatchObject({ value: 'delaying', context: { vector: { a: 0, b: 0, c: 0 } } });
      expect(state.context.delayed).toHaveLength(1);
    }
  });

  it('[CB3] delivers delayed messages one after the other as soon as their past has been delivered', () => {
    const { state, effects } = after(
      first,
      message('c', 2, 0, 1),
      message('a', 2, 0, 0),
      message('a', 1, 0, 0),
    );
    expect(effects).toEqual([
      deliver('a', 1, 'a100'),
      deliver('a', 2, 'a200'),
      deliver('c', 1, 'c201'),
    ]);
    expect(state).toMatchObject({
      value: 'current',
      context: { vector: { a: 2, b: 0, c: 1 }, delayed: [] },
    });
  });

  it('[CB4] ignores what it has delivered or delays already', () => {
    for (const state of [
      after(first, message('a', 1, 0, 0)).state,
      after(first, message('c', 1, 0, 1), message('a', 1, 0, 0), message('a', 3, 0, 0)).state,
    ])
      expect(after(state, message('a', 1, 0, 0))).toEqual({ state, effects: [] });
    const delaying = after(first, message('a', 2, 0, 0)).state;
    expect(after(delaying, message('a', 2, 0, 0))).toEqual({ state: delaying, effects: [] });
  });

  it('the two parts of the condition: the next one of its sender, and its past', () => {
    const given = { from: 'a', vector: { a: 2, b: 1 }, data: null };
    expect(
      [
        { a: 1, b: 0 },
        { a: 1, b: 1 },
        { a: 0, b: 1 },
        { a: 2, b: 2 },
      ].map((vector) => isNextOfSender(vector, given)),
    ).toEqual([true, true, false, false]);
    expect(
      [
        { a: 1, b: 0 },
        { a: 1, b: 1 },
        { a: 0, b: 2 },
      ].map((vector) => hasPast(vector, given)),
    ).toEqual([false, true, true]);
  });
});

describe('causal-multicast cost', () => {
  proof('is n−1 messages per multicast, in every interleaving', () => {
    for (const n of [2, 3]) expectTight(protocol, complete(n), {}, n - 1, 'multicast');
  });

  it('is n−1 messages per multicast, for groups of 2 to 20; each has n numbers', () => {
    for (const n of [2, 3, 4, 8, 20]) {
      const command: Command = { type: 'multicast', data: 'x' };
      const { messages } = simulate({
        protocol,
        topology: complete(n),
        workload: oneShot(command),
      });
      expect(messages).toEqual({ message: n * (n - 1) });
      const [self = '', ...peers] = complete(n).nodes;
      const [sent] = step(
        machine,
        self,
        start(machine, self, { self, peers }).state,
        command,
      ).effects;
      expect(Object.keys(Object(sent).message.vector)).toHaveLength(n);
    }
  });
});

it('causal-multicast over links that retransmit: with one message in ten lost, all members deliver all, in order', () => {
  const command: Command = { type: 'multicast', data: 'x' };
  const workload = () => oneShot(command, { after: { kind: 'uniform', least: 0, most: 50 } });
  expect(failingOverReliable(protocol, complete(4), 10, workload, 0)).toEqual([]);
});

describe('causal-multicast assumptions, weaker orders', () => {
  const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  type Whole = Parameters<typeof breakingRun>[0];
  const shown = (whole: Whole) => {
    const trace = breakingRun(whole);
    expect(trace && replay(whole.protocol, whole.topology, trace)).toEqual({
      steps: trace?.lines.length,
    });
    expect(page).toContain(linesText(trace?.lines ?? []));
    return trace?.lines.length;
  };
  const weaker = (name: string): Whole =>
    weakerOrders[name] ?? { protocol, topology: complete(2), order: integrity, budget: {} };

  proof(
    'FIFO order does not give causal order, even over FIFO channels; with two members it does',
    () => {
      const fifo = causalMulticast({ order: 'fifo' });
      expect(failing(explore(fifo, complete(3), two))).toEqual([]);
      for (const order of ['any', 'fifo'] as const) {
        const whole = weaker('fifo-is-not-causal');
        expect(shown({ ...whole, budget: { ...two, order } })).toBe(4);
      }
      expect(
        breakingRun({
          protocol: fifo,
          topology: complete(2),
          order: causalOrder,
          budget: { commands: 2 },
        }),
      ).toBeUndefined();
    },
  );

  it('causal order does not give total order', () => {
    expect(shown(weaker('causal-is-not-total'))).toBe(4);
  });

  proof.each([
    ['a lost message', 2, { losses: 1 }, validity, 2],
    ['a restart', 2, { crashes: 1, restarts: 1, commands: 2 }, integrity, 4],
  ] as const)('%s: the shortest run, as on the page', (_what, n, budget, broken, steps) => {
    expect(shown({ protocol, topology: complete(n), order: broken, budget })).toBe(steps);
  });

  proof(
    'neither a loss nor a crash breaks an order; a crash between two steps breaks nothing',
    () => {
      const orders = [integrity, fifoOrder, causalOrder];
      for (const faults of [{ losses: 1 }, { crashes: 2 }]) {
        const found = explore(protocol, complete(3), { ...faults, properties: orders });
        expect([found.complete, ...failing(found)]).toEqual([
          true,
          'no node waits in a quiescent state',
        ]);
      }
      const between = { crashes: 2, atomicSteps: true, ...two };
      const crashed = explore(protocol, complete(3), {
        ...between,
        properties: [...orders, validity, agreement],
      });
      expect([crashed.complete, ...failing(crashed)]).toEqual([true]);
    },
  );

  it('a crash in the middle of a multicast: one live member delivers it, the other one neither that nor what depends on it', () => {
    const crash = { crashes: 1, ...two };
    expect(shown({ protocol, topology: complete(3), order: agreement, budget: crash })).toBe(4);
    const found = explore(protocol, complete(3), crash);
    expect([found.complete, ...failing(found)]).toEqual([
      true,
      validity.name,
      agreement.name,
      'no node waits in a quiescent state',
    ]);
    expect(propertyNamed(found.properties, validity.name).trace?.lines).toHaveLength(6);
    expect(page).toContain("since a's multicast is in their past (6 steps)");
  });
});
