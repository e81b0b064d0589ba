/** Members with a detector: what they do after a false suspicion. */
import { explore } from '@conclave/check';
import { start, step } from '@conclave/core/internal';
import { notify, send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { failing } from '../../contract/findings.js';
import { detectingMachine } from './detecting.js';
import type { Event } from './member.js';
import { membership } from './protocol.js';

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

  it('its properties hold where no suspicion is false: a restart before others have learned of the crash', () => {
    const protocol = membership({ detector: true });
    const found = explore(protocol, complete(2), {
      ...{ crashes: 1, restarts: 1, inputs: [join] },
      time: { kind: 'exact', delay: [100, 100], tick: 50 },
      properties: protocol.properties.filter(({ kind }) => kind !== 'sometimes'), // of messages
    });
    expect([found.complete, found.states, ...failing(found)]).toEqual([true, 43_719]);
  });
});
