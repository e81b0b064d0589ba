import { start, step } from '@conclave/core/internal';
import { notify, send } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import type { Decision, Down, Entry, Event, Message } from './member.js';
import { machine } from './membership.js';

const [a, b, c, d] = ['a', 'b', 'c', 'd'] as const;
const from = (sender: string, message: Message | Down): Event =>
  ({ ...message, from: sender }) as Event; // stamped as a host does

/** Node `self` of four, the first three of them founders, after these events. */
function node(
  self: string,
  events: readonly Event[] = [],
  options: {
    readonly order?: 'fifo';
    readonly window?: number;
    readonly stateTransfer?: boolean;
    readonly starts?: number;
  } = {},
) {
  const input = {
    self,
    peers: [a, b, c, d].filter((id) => id !== self),
    founders: [a, b, c],
    order: 'total',
    window: 16,
    stateTransfer: false,
    starts: 0,
    attempt: 0,
    sequence: 0,
    ...options,
  };
  let last = start(machine, self, input);
  for (const event of events) last = step(machine, self, last.state, event);
  return {
    ...last,
    context: last.state.context,
    sent: last.effects.filter(({ type }) => type === 'send'),
    told: last.effects.filter(({ type }) => type === 'notify'),
  };
}

const x: Event = { type: 'multicast', data: 'x' };
const entry = (stream: string, position: number, sender: string, sequence: number): Entry => ({
  stream,
  position,
  from: sender,
  sequence,
  data: 'x',
});
const message = (position: number, origin: string, sequence: number, stable = 0): Message => ({
  type: 'message',
  view: 1,
  position,
  origin,
  sequence,
  data: 'x',
  stable,
});
const deliver = (sender: string, sequence: number, view = 1) =>
  notify({ type: 'deliver', from: sender, sequence, data: 'x', view });
const flushed = (
  view: number,
  more: Partial<Extract<Message, { type: 'flushed' }>> = {},
): Message => ({ type: 'flushed', view, attempt: 0, entries: [], pending: [], ...more });
const flush = (view: number, newcomers = {}): Message => ({ type: 'flush', view, newcomers });
const decision = (members: readonly string[], more: Partial<Decision> = {}): Decision => ({
  number: 2,
  members,
  admitted: {},
  entries: [],
  by: a,
  ...more,
});
const newView = (members: readonly string[], more: Partial<Decision> = {}): Message => ({
  type: 'new-view',
  ...decision(members, more),
});
const down: Down = { type: 'down' };
const request = (attempt = 1): Message => ({ type: 'join-request', attempt });
const viewOf = (number: number, members: readonly string[]) =>
  notify({ type: 'view', number, members });

describe('C5 membership rules', () => {
  it('[GM1] the founders are the members of view 1, at their first start', () => {
    expect(node(a).effects).toEqual([viewOf(1, [a, b, c])]);
    expect(node(d).state.value).toBe('outside');
    expect(node(a, [], { starts: 1 }).state.value).toBe('outside');
  });

  it('[GM2] in total order the smallest member sends for all; in FIFO order each member sends', () => {
    expect(node(b, [x]).effects).toEqual([
      send(a, { type: 'submit', view: 1, sequence: 1, data: 'x' }),
    ]);
    const sent = node(a, [from(b, { type: 'submit', view: 1, sequence: 1, data: 'x' })]);
    expect(sent.effects).toEqual([
      ...[b, c].map((to) => send(to, message(1, b, 1))),
      deliver(b, 1),
    ]);
    const own = node(b, [x, from(a, message(1, b, 1))]);
    expect([own.told, own.context.pending]).toEqual([[deliver(b, 1)], []]);
    expect(node(b, [x], { order: 'fifo' }).effects).toEqual([
      ...[a, c].map((to) => send(to, message(1, b, 1))),
      deliver(b, 1),
    ]);
  });

  it('[GM3] what is multicast during a flush is sent in the next view', () => {
    const blocked = node(b, [from(a, flush(1)), x]);
    expect([blocked.state.value, blocked.effects]).toEqual(['flushing', []]);
    const next = node(b, [from(a, flush(1)), x, from(a, newView([a, b]))]);
    expect(next.effects).toEqual([
      viewOf(2, [a, b]),
      send(a, { type: 'submit', view: 2, sequence: 1, data: 'x' }),
    ]);
  });

  it('[GM4] a node asks all others, and again when its coordinator crashes or decides without this attempt', () => {
    const asked = (attempt: number) => [a, b, c].map((to) => send(to, request(attempt)));
    expect(node(d, [{ type: 'join' }]).sent).toEqual(asked(1));
    const wasAsked = [{ type: 'join' }, from(a, flush(1, { d: 1 }))] as const;
    for (const none of [
      from(c, down),
      from(c, newView([a, b])),
      from(a, newView([], { number: 1 })),
    ])
      expect(node(d, [...wasAsked, none]).sent).toEqual([]);
    expect(node(d, [...wasAsked, from(a, down)]).sent).toEqual(asked(2));
    expect(node(d, [...wasAsked, from(a, newView([a, b]))]).sent).toEqual(asked(2));
    const welcome = (attempt: number): Message => ({
      ...{ type: 'welcome', state: null },
      ...decision([a, b, c, d], { admitted: { d: attempt } }),
    });
    const again = [...wasAsked, from(a, down), from(b, flush(1, { d: 2 }))] as const;
    expect(node(d, [...again, from(b, welcome(1))]).sent).toEqual(asked(3));
    expect(node(d, [...again, from(b, welcome(2))]).state.value).toBe('open');
    expect(node(d, [{ type: 'join' }], { starts: 2 }).sent).toEqual(asked(2001));
    const missed = [{ type: 'join' }, from(b, request(1001))] as const;
    expect(node(d, missed).sent).toEqual([send(b, request(1))]);
    expect(node(d, [...missed, from(b, request(1001))]).sent).toEqual([]);
    expect(node(d, [...wasAsked, from(b, request(1001))]).sent).toEqual([]);
    expect(node(b, [from(d, request())]).context.joining).toEqual({ d: 1 });
    const admitted = node(b, [
      from(a, flush(1, { d: 1 })),
      from(a, newView([a, b, c, d], { admitted: { d: 1 } })),
      from(d, request()),
    ]);
    expect(admitted.context.joining).toEqual({});
  });

  it('[GM5] a member that wants to leave asks the coordinator, in each view again', () => {
    const leave = { type: 'leave' } as const;
    expect(node(c, [leave]).sent).toEqual([send(a, { type: 'leave-request', view: 1 })]);
    expect(node(c, [from(a, down), leave]).sent).toEqual([
      send(b, { type: 'leave-request', view: 1 }),
    ]);
    const again = node(c, [from(a, flush(1)), leave, from(a, newView([b, c]))]);
    expect(again.sent).toEqual([send(b, { type: 'leave-request', view: 2 })]);
    expect(node(b, [from(c, { type: 'leave-request', view: 1 })]).context.leaving).toEqual([c]);
  });

  it('[GM5] a crash that is heard of after the return is no crash of the member that came back', () => {
    const events = [
      from(a, flush(1, { c: 1001 })),
      from(a, newView([a, b, c], { admitted: { c: 1001 } })),
      from(c, down),
    ];
    expect(node(b, events).context).toMatchObject({ down: [], crashes: { c: 1 } });
    expect(node(b, [...events, from(c, down)]).context).toMatchObject({ down: [c] });
    expect(node(b, [from(c, request(1001)), from(c, down)]).context.joining).toEqual({ c: 1001 });
  });

  it('[GM6] the smallest member begins a flush when one joins, leaves or crashes; the members stop and answer', () => {
    for (const [event, receivers, newcomers] of [
      [from(c, down), [b], {}],
      [from(c, { type: 'leave-request', view: 1 }), [b, c], {}],
      [from(d, request()), [b, c, d], { d: 1 }],
    ] as const) {
      const begun = node(a, [event]);
      expect(begun.state.value).toBe('collecting');
      expect(begun.sent).toEqual(receivers.map((to) => send(to, flush(1, newcomers))));
      expect(node(b, [event]).state.value).toBe('open');
    }
    const answered = node(b, [x, from(a, message(1, a, 1)), from(a, flush(1))]);
    const own = { from: b, sequence: 1, data: 'x' };
    expect(answered.sent).toEqual([
      send(a, flushed(1, { entries: [entry(a, 1, a, 1)], pending: [own] })),
    ]);
    expect(node(b, [from(a, flush(1)), from(a, message(1, a, 1))]).effects).toEqual([]);
    expect(node(d, [{ type: 'join' }, from(a, flush(1, { d: 1 }))]).sent).toEqual([
      send(a, flushed(0, { attempt: 1 })),
    ]);
  });

  it('[GM6] a node that has come back ignores a flush to the member that it was', () => {
    const back = [{ type: 'join' } as const, from(a, flush(1))];
    expect(node(b, back, { starts: 1 }).effects).toEqual([]);
    expect(node(b, [...back, from(c, flush(2, { b: 1001 }))], { starts: 1 }).sent).toEqual([
      send(c, flushed(0, { attempt: 1001 })),
    ]);
    const admitted = [
      from(a, flush(1, { d: 1 })),
      from(a, newView([a, b, c, d], { admitted: { d: 1 } })),
      from(a, down),
    ];
    expect(node(b, admitted).sent).toEqual([c, d].map((to) => send(to, flush(2, { d: 1 }))));
    const next = node(c, [...admitted.slice(0, 2), from(b, flush(2, { d: 1 }))]);
    expect(next.context.joining).toEqual({});
  });

  it('[GM7] if the coordinator crashes, the next one takes over, and the others turn to it', () => {
    const next = node(b, [from(a, flush(1)), from(a, down)]);
    expect([next.state.value, next.sent]).toEqual(['collecting', [send(c, flush(1))]]);
    const other = node(c, [from(a, flush(1)), from(a, down)]);
    expect([other.state.value, other.sent]).toEqual(['flushing', [send(b, flushed(1))]]);
    const moved = [from(a, flush(1)), from(b, flush(1))];
    expect(node(c, [...moved, from(a, newView([b, c]))]).state.value).toBe('flushing');
    expect(node(c, [...moved, from(a, flush(1))]).sent).toEqual([]);
    expect(node(c, [...moved, from(b, newView([b, c], { by: b }))]).state.value).toBe('open');
  });

  it('[GM7] a flush that waits is forgotten when its coordinator crashes', () => {
    const two = [from(b, flush(1, { d: 1 })), from(a, flush(2, { d: 1 }))];
    const [next] = node(d, [{ type: 'join' }, ...two, from(b, down)]).sent.slice(-1);
    expect(next).toEqual(send(a, flushed(0, { attempt: 2 })));
    const forgotten = node(d, [{ type: 'join' }, ...two, from(a, down), from(b, down)]);
    expect(forgotten.sent).toEqual([a, b, c].map((to) => send(to, request(2))));
  });

  it('[GM8] when all have answered or crashed, the next view and all messages of this one are sent', () => {
    const waits = node(a, [from(c, down)]);
    expect(waits.state.value).toBe('collecting');
    const answers = flushed(1, { entries: [entry(c, 1, c, 1)], pending: [] });
    const fifo = node(a, [from(c, down), from(b, answers)], { order: 'fifo' });
    expect(fifo.effects).toEqual([
      deliver(c, 1),
      send(b, newView([a, b], { entries: [entry(c, 1, c, 1)] })),
      viewOf(2, [a, b]),
    ]);
    const pending = [2, 1].map((sequence) => ({ from: b, sequence, data: 'x' }));
    const total = node(a, [x, from(c, down), from(b, flushed(1, { pending }))]);
    expect(total.told).toEqual([deliver(b, 1), deliver(b, 2), viewOf(2, [a, b])]);
    expect(node(a, [from(c, down), from(b, down)]).told).toEqual([viewOf(2, [a])]);
  });

  it('[GM8] a coordinator that takes over a decision tells it to those whom it has asked in vain', () => {
    const events = [
      ...[from(a, flush(1)), from(d, request()), from(a, down), from(c, newView([a, c]))],
      from(d, flushed(0, { attempt: 1 })),
    ];
    const gone = node(b, events);
    expect(gone.state.value).toBe('outside');
    expect(gone.sent).toEqual([c, d].map((to) => send(to, newView([a, c], { by: b }))));
  });

  it('[GM9] a member delivers what it lacks, and installs the view', () => {
    const entries = [entry(a, 1, a, 1), entry(a, 2, c, 1)];
    const installed = node(b, [
      from(a, message(1, a, 1)),
      from(a, flush(1)),
      from(a, newView([a, b], { entries })),
    ]);
    expect(installed.effects).toEqual([deliver(c, 1), viewOf(2, [a, b])]);
    expect(installed.context).toMatchObject({ number: 2, delivered: {}, log: [] });
  });

  it('[GM10] a member that the next view leaves out has left, or is excluded', () => {
    const out = from(a, newView([a, b]));
    const left = node(c, [{ type: 'leave' }, from(a, flush(1)), out]);
    expect([left.state.value, left.effects]).toEqual(['outside', [notify({ type: 'left' })]]);
    expect(node(c, [from(a, flush(1)), out]).effects).toEqual([notify({ type: 'excluded' })]);
  });

  it('[GM11] a node that has the next view gives it to a coordinator, or a member, that has not', () => {
    const installed = [from(a, flush(1)), from(a, newView([b, c]))];
    expect(node(c, [...installed, from(b, flush(1))]).sent).toEqual([send(b, newView([b, c]))]);
    expect(node(b, [...installed, from(c, flushed(1))]).sent).toEqual([send(c, newView([b, c]))]);
    const adopted = node(b, [
      from(a, flush(1)),
      from(a, down),
      from(c, newView([b, c], { entries: [entry(a, 1, a, 1)] })),
    ]);
    expect(adopted.told).toEqual([deliver(a, 1), viewOf(2, [b, c])]);
    const collecting = [...installed, from(c, down)];
    expect(node(b, collecting).told).toEqual([viewOf(3, [b])]);
    const behind = node(b, [
      from(a, flush(1)),
      from(a, newView([a, b, c])),
      from(a, down),
      from(c, flushed(1)),
    ]);
    expect(behind.sent).toEqual([send(c, newView([a, b, c])), send(c, flush(2))]);
    expect(node(c, [from(a, flush(1)), from(b, flush(2))]).sent).toEqual([send(b, flushed(1))]);
    expect(node(d, [from(a, flush(1, { d: 1 }))]).sent).toEqual([
      send(a, { type: 'leave-request', view: 1 }),
    ]);
  });

  it('[GM12] a message of a later view waits for it; one of an earlier view, or of no member, is ignored', () => {
    const later: Message = { ...message(1, a, 1), view: 2 } as Message;
    const early = [from(a, flush(1)), from(a, later), from(a, newView([a, b]))];
    expect(node(b, early).told).toEqual([viewOf(2, [a, b]), deliver(a, 1, 2)]);
    expect(
      node(b, [from(a, flush(1)), from(a, newView([a, b])), from(a, message(1, a, 1))]).effects,
    ).toEqual([]);
    expect(node(b, [from(d, message(1, d, 1))]).effects).toEqual([]);
  });

  it('[GM13] members forget what all members have', () => {
    const acknowledged = node(b, [from(a, message(1, a, 1))], { window: 1 });
    expect(acknowledged.sent).toEqual([send(a, { type: 'acknowledge', view: 1, position: 1 })]);
    expect(node(b, [from(a, message(1, a, 1)), from(a, message(2, a, 2, 1))]).context.log).toEqual([
      entry(a, 2, a, 2),
    ]);
    const acknowledge = (who: string) => from(who, { type: 'acknowledge', view: 1, position: 1 });
    expect(node(a, [x, acknowledge(b)]).context.log).toHaveLength(1);
    expect(node(a, [x, acknowledge(b), acknowledge(c)]).context.log).toEqual([]);
  });

  it('[GM14] with stateTransfer the newcomers get the state that the view begins with', () => {
    const answers = [
      from(d, request()),
      from(b, flushed(1)),
      from(c, flushed(1)),
      from(d, flushed(0, { attempt: 1 })),
    ];
    const wanted = node(a, answers, { stateTransfer: true });
    expect([wanted.state.value, wanted.effects]).toEqual([
      'handover',
      [notify({ type: 'snapshot-wanted', view: 2 })],
    ]);
    const given = node(a, [...answers, { type: 'snapshot', state: 7 }], { stateTransfer: true });
    const next = decision([a, b, c, d], { admitted: { d: 1 } });
    expect(given.sent).toEqual([
      ...[b, c].map((to) => send(to, { type: 'new-view', ...next })),
      send(d, { type: 'welcome', state: 7, ...next }),
    ]);
    const alone = [from(a, flush(1)), from(a, newView([b])), from(d, request())];
    const late = [...alone, from(d, flushed(0, { attempt: 1 })), from(c, flushed(1))];
    const third = newView([b, d], { number: 3, admitted: { d: 1 }, by: b });
    expect(node(b, late, { stateTransfer: true }).sent).toEqual([send(c, third)]);
    const welcomed = node(
      d,
      [
        { type: 'join' },
        from(a, flush(1, { d: 1 })),
        from(a, { type: 'welcome', state: 7, ...next }),
      ],
      { stateTransfer: true },
    );
    expect(welcomed.told).toEqual([
      notify({ type: 'view', number: 2, members: next.members, state: 7 }),
    ]);
  });
});
