/** A network that reports crashes: `crashNotice`. */

import { embed } from '@conclave/core/embedding';
import { handStepped } from '@conclave/core/internal/embedding';
import {
  always,
  atMost,
  defineProtocol,
  type Effect,
  eventually,
  type Received,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { oneShot, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import * as needs from '@conclave/core/topology/needs';
import { linesText, parseTrace, replay, traceText } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { setup } from 'xstate';
import { type Self, selfAndPeers } from '../../../core/src/protocol/examples.contract.js';
import { truthOf } from '../fixtures/truth.contract.js';
import { explore } from './explore.js';
import type { ExploreOptions } from './options.js';

type Message = { type: 'last' } | { type: 'down' };

/** Sends one message, and knows who is down and who has sent its message. */
const watcher = setup({
  types: {} as {
    input: Self;
    context: Self & { down: Readonly<Record<string, true>>; heard: Readonly<Record<string, true>> };
    events: { type: 'speak' } | Received<Message>;
    emitted: Effect<Message>;
  },
});
const machine = watcher
  .extend({
    actions: {
      speak: watcher.enqueueActions(({ context, enqueue }) => {
        for (const peer of context.peers) enqueue.emit(send(peer, { type: 'last' }));
      }),
      hear: watcher.assign(({ context, event }) =>
        'from' in event ? { heard: { ...context.heard, [event.from]: true as const } } : {},
      ),
      note: watcher.assign(({ context, event }) =>
        'from' in event ? { down: { ...context.down, [event.from]: true as const } } : {},
      ),
    },
  })
  .createMachine({
    context: ({ input }) => ({ ...input, down: {}, heard: {} }),
    initial: 'up',
    states: {
      up: {
        tags: 'waiting',
        on: { speak: { actions: 'speak' }, last: { actions: 'hear' }, down: { actions: 'note' } },
      },
    },
  });

const downOf = (context: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.keys(Object(context.down));

const watchers = defineProtocol<Message, { type: 'speak' }>({
  name: 'watchers',
  title: 'Watchers',
  problem: 'example',
  citation: 'made up',
  topology: needs.complete,
  channels: { order: 'fifo', loss: false, duplication: false },
  crashNotice: 'down',
  roles: { node: { machine, input: selfAndPeers } },
  messages: { last: { meaning: 'I am here' }, down: { meaning: 'the sender has crashed' } },
  commands: { speak: { kind: 'optional', meaning: 'say something' } },
  properties: [
    always('only a crashed node is known to be down', (system) =>
      system.nodes.every(({ context }) => downOf(context).every((id) => system.node(id).crashed)),
    ),
    always('no node speaks after it is known to be down', (system) =>
      system
        .inFlight('last')
        .every(({ from, to }) => !downOf(system.node(to).context).includes(from)),
    ),
    sometimes('a crash is known', (system) =>
      system.nodes.some(({ context }) => downOf(context).length > 0),
    ),
    eventually(
      'each live node knows a crashed node',
      (system) =>
        system.nodes.some(({ crashed }) => crashed) &&
        system.nodes.every(
          (node) =>
            node.crashed ||
            system.nodes.every(({ id, crashed }) => !crashed || downOf(node.context).includes(id)),
        ),
    ),
  ],
  waiting: false,
});

const verdicts = (report: ReturnType<typeof explore>) =>
  report.properties.map(({ verdict }) => verdict);

describe('the explorer', () => {
  it('reports each crash to each neighbour, behind what the node has sent', () => {
    const report = explore(watchers, complete(3), { crashes: 1 });
    expect(report.complete).toBe(true);
    expect(verdicts(report).slice(0, 3)).toEqual(['holds', 'holds', 'reached']);
    expect(report.properties[3]?.verdict).toBe('violated'); // a run without a crash
  });

  it('lets a notice overtake only where the order is any', () => {
    const report = explore(watchers, complete(2), { crashes: 1, order: 'any' });
    const [, speaks] = report.properties;
    expect(speaks?.verdict).toBe('violated');
    expect(speaks?.trace && linesText(speaks.trace.lines)).toMatchInlineSnapshot(`
      "a  speak        up  ⇒ b: last
      a  crash            ⇒ b: down
      b  down from a  up
      "
    `);
  });

  it('lets a crash lose what its last step sent, to each other node as much or as little as it may; with unsent, earlier steps as well', () => {
    const heard = (ids: string) =>
      sometimes(`heard by '${ids}', and the crash is known`, ({ nodes }) => {
        const live = nodes.filter(({ crashed }) => !crashed);
        const hears = live
          .filter(({ context }) => Object.hasOwn(Object(context.heard), 'a'))
          .map(({ id }) => id);
        return (
          live.length === 2 &&
          live.every(({ context }) => downOf(context).includes('a')) &&
          hears.join('') === ids
        );
      });
    const properties = ['', 'b', 'c', 'bc'].map(heard);
    const budget = { crashes: 1, initiators: ['a'], properties };
    const found = (options: ExploreOptions) =>
      verdicts(explore(watchers, complete(3), { ...budget, ...options })).slice(0, 4);
    expect(found({})).toEqual(['reached', 'reached', 'reached', 'reached']);
    // '': it crashes before
    expect(found({ atomicSteps: true })).toEqual(['reached', 'unreached', 'unreached', 'reached']);
    expect(found({ atomicSteps: true, unsent: true })).toEqual([
      'reached',
      'reached',
      'reached',
      'reached',
    ]);
    const { properties: judged } = explore(watchers, complete(3), budget);
    for (const { trace } of judged)
      if (trace)
        expect(replay(watchers, complete(3), trace)).toEqual({ steps: trace.lines.length });
    expect(judged[1]?.trace && linesText(judged[1].trace.lines)).toContain('c  drop last from a');
  });

  proof.each(['untimed', { kind: 'exact', delay: [0, 2], messages: { down: [1, 3] } }] as const)(
    'finds the worlds of the definition, %j',
    (time) => {
      const budget = { crashes: 1, restarts: 1, initiators: ['a'], time };
      const { states, transitions } = truthOf(watchers, complete(3), budget);
      const report = explore(watchers, complete(3), budget);
      expect([report.states, report.transitions]).toEqual([states, transitions]);
      expect(report.properties[2]?.verdict).toBe('reached');
    },
  );

  it('gives traces that can be read and replayed', () => {
    const trace = explore(watchers, complete(3), { crashes: 1 }).properties[2]?.trace;
    expect(trace && replay(watchers, complete(3), parseTrace(traceText(trace)))).toEqual({
      steps: trace?.lines.length,
    });
  });

  it.each([{ losses: 1 }, { duplications: 1 }, { partitions: 1 }])(
    'refuses a network that would not report each crash once: %j',
    (faults) => {
      expect(() => explore(watchers, complete(3), { crashes: 1, ...faults })).toThrow(
        "relies on a network that reports each crash ('down')",
      );
    },
  );
});

describe('the simulator', () => {
  const crash = { kind: 'crash', node: 'b', at: 10 } as const;

  it('reports a crash', () => {
    const { trace } = simulate({
      protocol: watchers,
      topology: complete(3),
      faults: [crash],
      record: true,
    });
    expect(linesText(trace?.lines ?? [])).toMatchInlineSnapshot(`
      "10.000ms  b  crash            ⇒ a: down, c: down
      11.000ms  a  down from b  up
      11.000ms  c  down from b  up
      "
    `);
    expect(trace && replay(watchers, complete(3), trace)).toEqual({ steps: trace?.lines.length });
  });

  it('refuses a network that would not report each crash once', () => {
    for (const faulty of [
      { conditions: { loss: 0.1 } },
      { reliable: true },
      { faults: [{ kind: 'partition', at: 1, groups: [['a'], ['b']] }] },
      { faults: [{ kind: 'conditions', at: 1, change: { duplication: 0.5 } }] },
    ] as const)
      expect(() => simulate({ protocol: watchers, topology: complete(3), ...faulty })).toThrow(
        'relies on a network that reports each crash',
      );
  });
});

it('a node is embedded only over a transport that reports crashes', () => {
  const topology = complete(2);
  const over = (network: ReturnType<typeof handStepped>) => () =>
    embed(watchers, {
      self: 'a',
      topology,
      transport: network.transport('a'),
      clock: network.clock('a'),
    });
  expect(over(handStepped(topology))).toThrow(
    "assumes a network that reports crashes ('down'), and the transport does not",
  );
  expect(
    over(
      handStepped(topology, {
        order: 'fifo',
        loss: false,
        duplication: false,
        crashes: 'reported',
      }),
    ),
  ).not.toThrow();
});

it('a notice is a message without fields', () => {
  expect(() => defineProtocol({ ...watchers, crashNotice: 'gone' })).toThrow(
    "its crash notice 'gone' is no message without fields",
  );
});

describe('a machine that sends the notice itself', () => {
  const liar = watcher
    .extend({
      actions: {
        lie: watcher.enqueueActions(({ context, enqueue }) => {
          for (const peer of context.peers)
            for (const type of ['last', 'down'] as const) enqueue.emit(send(peer, { type }));
        }),
      },
    })
    .createMachine({
      context: ({ input }) => ({ ...input, down: {}, heard: {} }),
      initial: 'up',
      states: { up: { on: { speak: { actions: 'lie' }, last: {}, down: {} } } },
    });
  const { node } = watchers.roles;
  const lying = {
    ...watchers,
    properties: [],
    roles: { node: { machine: liar, input: node?.input ?? selfAndPeers } },
  };
  const refusal = "Node a sends 'down' itself, the crash notice, which only the network sends";

  it('breaks the node contract: bounds do not count notices, and messages before them may be lost', () => {
    const options = { unsent: true, properties: [atMost(1, { per: 'speak' })] };
    const found = explore(lying, complete(2), options).properties;
    expect(found.map(({ kind, verdict }) => `${kind} ${verdict}`)).toEqual([
      'atMost incomplete',
      'always incomplete',
      'always violated',
    ]);
  });

  it('is stopped in a simulation and when it is embedded, too', () => {
    const workload = oneShot({ type: 'speak' }, { nodes: ['a'] });
    expect(simulate({ protocol: lying, topology: complete(2), workload }).fault).toContain(refusal);
    const topology = complete(2);
    const network = handStepped(topology, {
      order: 'fifo',
      loss: false,
      duplication: false,
      crashes: 'reported',
    });
    const embedded = embed(lying, {
      self: 'a',
      topology,
      transport: network.transport('a'),
      clock: network.clock('a'),
    });
    expect(() => embedded.send({ type: 'speak' })).toThrow(refusal);
  });
});

it('a bound on messages is vacuous where only the network has sent some', () => {
  const properties = [atMost(1, { per: 'speak' })];
  expect(
    explore(watchers, complete(2), { commands: 0, crashes: 1, properties }).properties[0]?.verdict,
  ).toBe('vacuous');
});
