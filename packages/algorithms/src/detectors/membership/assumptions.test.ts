/** What breaks without the assumptions: the shortest traces, as on the page. */

import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import {
  always,
  type Command,
  type NodeId,
  type NodeView,
  notify,
  type Protocol,
  send,
} from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { complete, type Topology } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { failing, propertyNamed } from '../../contract/findings.contract.js';
import { detectingMachine } from './detecting.js';
import type { Event } from './member.js';
import { type MembershipHistory, totalOrder } from './properties.js';
import { membership } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const sameMembers = 'views with the same number have the same members';
const quiescent = 'no node waits in a quiescent state';
const multicast = [{ type: 'multicast', data: 'x' }] as const;

/**
 * The shortest trace to a violation as on the page: without starts, timers, and the heartbeats of a
 * detector.
 */
function shortest(
  protocol: Protocol,
  topology: Topology,
  name: string,
  options: ExploreOptions,
): readonly string[] {
  const { trace } = propertyNamed(
    explore(protocol, topology, { ...options, all: false }).properties,
    name,
  );
  expect(trace && replay(protocol, topology, trace)).toEqual({ steps: trace?.lines.length });
  return linesText((trace?.lines ?? []).filter(({ event }) => event.kind !== 'start'))
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/group\.(\w+) & detector\.\(sender\.beating & monitor\)/g, '$1')
        .replaceAll(/(start|cancel) patience[^,]*, /g, '')
        .replaceAll(/\.000ms/g, '')
        .replaceAll(/ {2,}/g, '  ')
        .trim(),
    );
}

/** The members of a view as any node has installed it, also one that has crashed since. */
const uniformViews = always(
  'all nodes, also those that crash, install the same members for each number',
  ({ nodes }) => {
    const members = new Map<number, string>();
    return nodes.every(({ history }) => {
      const { stays } = history as MembershipHistory; // of this protocol
      return stays.every(({ views }) =>
        views.every((view) => {
          const known = members.get(view.number) ?? view.members.join();
          members.set(view.number, known);
          return known === view.members.join();
        }),
      );
    });
  },
);

describe('C5 membership assumptions', () => {
  it('in any order, two messages of the sequencer overtake each other', () => {
    const trace = shortest(membership(), complete(2), totalOrder.name, {
      order: 'any',
      commands: 2,
      inputs: multicast,
      initiators: ['a'],
    });
    expect(page).toContain(trace.join('\n'));
  });

  it('a lost message blocks a flush', () => {
    const { crashNotice: _, ...unreported } = membership();
    const trace = shortest(unreported, complete(2), quiescent, {
      losses: 1,
      inputs: [{ type: 'leave' }],
      initiators: ['b'],
    });
    expect(page).toContain(trace.join('\n'));
  });

  it('a false suspicion makes two groups', () => {
    const trace = shortest(membership({ detector: true, silence: 100 }), complete(2), sameMembers, {
      inputs: [],
    });
    expect(page).toContain(trace.join('\n'));
  });

  proof(
    'views are not uniform: a member that crashes in the middle of a step may have installed another one',
    () => {
      const options = { crashes: 2, inputs: [], properties: [uniformViews] } as const;
      const trace = shortest(membership(), complete(3), uniformViews.name, options);
      expect(page).toContain(`(${trace.length} steps). Live members never differ`);
      expect(page).toContain(trace.join('\n'));
      for (const n of [3, 4])
        expect(
          failing(explore(membership(), complete(n), { ...options, atomicSteps: true })),
        ).toEqual([]);
    },
  );

  proof('a coordinator that has restarted is outside, and ignores the answers to its flush', () => {
    const { properties } = membership();
    const found = explore(membership(), complete(3), {
      ...{
        crashes: 1,
        restarts: 1,
        inputs: [{ type: 'leave' }],
        initiators: ['b'],
        mayCrash: ({ id }: NodeView) => id === 'a',
      },
      properties: properties.filter(({ kind }) => kind !== 'sometimes'), // of messages
    });
    expect([found.complete, found.states, ...failing(found)]).toEqual([true, 512]);
  });

  it('the detector finds a crash: 2 members, messages of 100 ms', () => {
    const time = { kind: 'exact', delay: [100, 100], tick: 50 } as const;
    const found = explore(membership({ detector: true }), complete(2), {
      crashes: 1,
      inputs: multicast,
      initiators: ['b'],
      time,
    });
    expect([found.complete, found.states, ...failing(found)]).toEqual([true, 5095]);
  });
});

// What a multicast and a change of the view cost in messages.

const sizes = [2, 3, 4, 5, 8, 13, 20];
const command = (type: string) => ({ type, data: 'x' }) as Command; // of this protocol
const named = (n: number, index: number): NodeId => [...complete(n).nodes].sort().at(index) ?? '';

/**
 * The messages of a run on n nodes in which `node` gets one command. Crash notices are no messages
 * of the protocol.
 */
function total(
  n: number,
  type: string,
  node: NodeId,
  options: Parameters<typeof membership>[0] = {},
): number {
  const workload = oneShot(command(type), { nodes: [node], after: { kind: 'fixed', ms: 1 } });
  return totalMessages(
    simulate({ protocol: membership(options), topology: complete(n), workload }),
  );
}

/** The messages of a run on n nodes in which one crashes. */
function afterCrash(n: number, node: NodeId): number {
  const faults = [{ kind: 'crash', node, at: 1, inside: false }] as const;
  const workload = oneShot(command('multicast'), { nodes: [], after: { kind: 'fixed', ms: 1 } });
  const { messages } = simulate({
    protocol: membership(),
    topology: complete(n),
    workload,
    faults,
    until: { time: 1000 },
  });
  return Object.entries(messages).reduce(
    (sum, [kind, count]) => sum + (kind === 'down' ? 0 : Number(count)),
    0,
  );
}

describe('C5 membership cost', () => {
  proof.each(sizes)('a multicast among %i members', (n) => {
    expect(total(n, 'multicast', named(n, 0))).toBe(n - 1);
    expect(total(n, 'multicast', named(n, -1))).toBe(n);
    expect(total(n, 'multicast', named(n, -1), { order: 'fifo' })).toBe(n - 1);
    expect(total(n, 'multicast', named(n, -1), { window: 1 })).toBe(n + (n - 1));
  });

  proof.each(sizes)('a member of %i leaves', (n) => {
    expect(total(n, 'leave', named(n, 0))).toBe(3 * (n - 1));
    expect(total(n, 'leave', named(n, -1))).toBe(3 * (n - 1) + 1);
  });

  it.each(sizes)('a node joins, so that there are %i', (n) => {
    expect(total(n, 'join', named(n, -1), { founders: n - 1 })).toBe(n - 1 + 3 * (n - 1));
  });

  it.each(sizes.slice(1))('a member of %i crashes', (n) => {
    expect(afterCrash(n, named(n, -1))).toBe(3 * (n - 2));
    expect(afterCrash(n, named(n, 0))).toBe(3 * (n - 2));
  });
});

// Members with a detector: what they do after a false suspicion.

const [a, b, c] = ['a', 'b', 'c'] as const;
const peersOf = (self: string) => [a, b, c].filter((id) => id !== self);
const watch = { period: 100, timeout: 200, growth: 0, longest: 200 };

/** Node `self` of three founders, after these events, and after its longest wait if `waits`. */
function node(self: string, events: readonly Event[], starts = 0, waits = false) {
  const peers = peersOf(self);
  let last = start(detectingMachine, self, {
    ...{ self, peers, founders: [a, b, c], order: 'total', window: 16, stateTransfer: false },
    ...{ detector: { watchers: peers, watched: peers, ...watch }, patience: 2000 },
    ...{ starts, attempt: 0, sequence: 0 },
  });
  for (const event of events) last = step(detectingMachine, self, last.state, event);
  const timer = last.state.timers.find(({ delay }) => delay === 2000);
  if (waits && timer) {
    const timers = last.state.timers.filter((other) => other !== timer);
    last = step(detectingMachine, self, { ...last.state, timers }, timer.event);
  }
  const { context, value } = last.state;
  return {
    ...{ context, state: Object(value).group, effects: last.effects },
    sent: last.effects.flatMap((effect) => (effect.type === 'send' ? [effect] : [])),
    told: last.effects.filter(({ type }) => type === 'notify'),
  };
}

const suspect = (id: string): Event => ({ type: 'detector-suspect', node: id });
const heartbeat = (from: string): Event => ({ type: 'detector-heartbeat', from }) as never; // of a part
const present = (from: string, view: number, members: readonly string[] = []): Event => ({
  ...{ type: 'present', from, view, members },
});
const join: Event = { type: 'join' };
const flush = (from: string, view: number): Event => ({
  ...{ type: 'flush', from, view, newcomers: {} },
});
const toAll = (self: string) =>
  peersOf(self).map((to) => send(to, { type: 'present', view: 0, members: [] }));
const excluded = notify({ type: 'excluded' });

describe('C5 with a detector', () => {
  it('[GM15] a heartbeat ends a suspicion, but not that of a coordinator that collects', () => {
    expect(node(c, [suspect(b)]).context.down).toEqual([b]);
    expect(node(c, [suspect(b), heartbeat(b)]).context.down).toEqual([]);
    const collecting = node(a, [suspect(b), heartbeat(b)]);
    expect([collecting.state, collecting.context.down]).toEqual(['collecting', [b]]);
  });

  it('[GM16] the coordinator answers a heartbeat by its view; a node that is not in it goes over to a smaller one', () => {
    const view = { type: 'present', view: 1, members: [a, b, c] };
    expect(node(a, [heartbeat(c)]).sent).toEqual([send(c, view)]);
    expect(node(b, [heartbeat(c)]).sent).toEqual([]);
    expect(node(c, [present(a, 1, [a, b, c])]).effects).toEqual([]);
    const over = node(c, [present(a, 2, [a, b])]);
    expect([over.state, over.effects]).toEqual(['outside', [...toAll(c), excluded]]);
    expect(over.context.decision).toBe(null);
  });

  it('[GM17] a node that is in no view with the sender counts as crashed, and is told so', () => {
    const none = send(c, { type: 'present', view: 0, members: [] });
    const apart = node(a, [present(c, 2, [c])]);
    expect([apart.state, apart.context.awaiting]).toEqual(['collecting', [b]]);
    const taken = node(a, [present(c, 2, [a, c])]);
    expect([taken.state, taken.sent[0]]).toEqual(['collecting', none]);
    expect(node(a, [present(c, 1, [a, b, c])]).state).toBe('collecting'); // two coordinators
    expect(node(a, [present(b, 0)]).context.down).toEqual([b]);
    expect(node(c, [present(a, 2, [a]), flush(b, 5)]).sent.map(({ to }) => to)).toEqual([b]);
    expect(node(b, [flush(c, 5)]).sent).toEqual([{ ...none }]);
    expect(node(c, [], 1).sent.filter(({ message }) => message.type === 'present')).toEqual(
      toAll(c),
    );
  });

  it('[GM18] who waits too long asks again, founds a group if it is the first, or goes on without the others', () => {
    const asked = { type: 'join-request', attempt: 1002 };
    const request: Event = { type: 'join-request', from: a, attempt: 1001 };
    const again = node(c, [join, request], 1, true);
    expect(again.sent).toEqual([a, b].map((to) => send(to, asked)));
    const founded = node(c, [join], 1, true);
    expect([founded.state, founded.context.members, founded.told]).toEqual([
      ...['open', [c]],
      [notify({ type: 'view', number: 1, members: [c] })],
    ]);
    const alone = node(a, [suspect(b)], 0, true);
    expect([alone.state, alone.context.members]).toEqual(['open', [a]]);
  });

  proof(
    'its properties hold where no suspicion is false: a restart before others have learned of the crash',
    () => {
      const protocol = membership({ detector: true });
      const found = explore(protocol, complete(2), {
        ...{ crashes: 1, restarts: 1, inputs: [join] },
        time: { kind: 'exact', delay: [100, 100], tick: 50 },
        properties: protocol.properties.filter(({ kind }) => kind !== 'sometimes'), // of messages
      });
      expect([found.complete, found.states, ...failing(found)]).toEqual([true, 43_719]);
    },
  );
});
