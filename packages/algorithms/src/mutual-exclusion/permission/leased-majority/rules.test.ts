import { fire, start, step } from '@conclave/core/internal';
import { type LocalState, notify, send } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { keepingMachine } from './keeping.js';
import { cancellable, machine } from './leased-majority.js';
import type { Event, Message } from './node.js';

const withCancel = cancellable(machine);
const keepingWithCancel = cancellable(keepingMachine);

/** Node b of three: its ballots are 1, 4, 7 … */
const input = {
  self: 'b',
  nodes: ['a', 'b', 'c'],
  lease: 5,
  validity: 4,
  renewal: 1,
  ballot: 0,
  floor: 0,
  vote: 0,
};
type Taken = ReturnType<typeof step>;
type Timer = 'renewal' | 'validity' | 'lease' | 'keep';

const taking = (machine: AnyStateMachine, { state }: Taken, event: Event | Timer): Taken => {
  if (typeof event !== 'string') return step(machine, 'b', state, event);
  const timer = state.timers.find(({ id }) => id.split('.')[2] === event);
  if (!timer) throw new Error(`no ${event} runs`);
  return fire(machine, 'b', state, timer.id);
};
const after = (state: LocalState, ...events: readonly (Event | Timer)[]): Taken =>
  events.reduce((taken: Taken, event) => taking(withCancel, taken, event), { state, effects: [] });
const node = (more: object = {}) => start(withCancel, 'b', { ...input, ...more }).state;
const acquire: Event = { type: 'acquire' };
const request = (from: string, ballot: number, round = 1, floor = 0): Event => ({
  type: 'request',
  from,
  ballot,
  round,
  floor,
});
const vote = (from: string, ballot: number, round = 1): Event => ({
  type: 'vote',
  from,
  ballot,
  round,
});
const released = (from: string, ballot: number, floor: number): Event => ({
  type: 'released',
  from,
  ballot,
  floor,
});
const toAll = (message: Message) => ['a', 'c'].map((to) => send(to, message));
const sends = ({ effects }: Taken) =>
  effects.filter(({ type }) => type === 'send' || type === 'notify');
const client = ({ state: { value } }: Taken) => Object(value).client;
const timers = ({ state }: Taken) => state.timers.map(({ id }) => id.split('.')[2]);
const waiting = () => after(node(), acquire).state;
const held = () => after(waiting(), vote('a', 1)).state;

describe('leased-majority rules', () => {
  it('[LQ1] a client takes its smallest ballot above all that its node has seen, and requests all votes', () => {
    const first = after(node(), acquire);
    expect(sends(first)).toEqual(toAll({ type: 'request', ballot: 1, round: 1, floor: 0 }));
    expect(first.state).toMatchObject({
      value: { client: 'waiting', odd: 'running', even: 'off', voter: 'bound' },
    });
    expect(sends(after(node(), released('a', 3, 5), acquire))).toEqual(
      toAll({ type: 'request', ballot: 7, round: 1, floor: 5 }),
    );
  });

  it('[LQ2] it requests them again each renewal; a holder in a new round only if the last one is answered', () => {
    expect(sends(after(waiting(), 'renewal'))).toEqual(
      toAll({ type: 'request', ballot: 1, round: 2, floor: 0 }),
    );
    const second = after(held(), 'renewal');
    expect(sends(second)).toEqual(toAll({ type: 'request', ballot: 1, round: 2, floor: 1 }));
    const again = after(second.state, 'renewal');
    expect(sends(again)).toEqual(sends(second));
    expect(sends(after(again.state, vote('c', 1, 2), 'renewal'))).toEqual(
      toAll({ type: 'request', ballot: 1, round: 3, floor: 1 }),
    );
  });

  it('[LQ3] it enters with a majority of votes for its ballot, its own included, and raises its floor', () => {
    const entered = after(waiting(), vote('c', 1));
    expect(entered.state).toMatchObject({
      value: { client: 'held' },
      context: { ballot: 1, floor: 1, votes: [0, 1, 1] },
    });
    // its own vote is c's
    expect(client(after(node({ vote: 3 }), acquire, vote('a', 4)))).toBe('waiting');
    // the stopwatch of round 1 measures round 3
    expect(client(after(waiting(), 'renewal', 'renewal', vote('a', 1, 1)))).toBe('waiting');
  });

  it('[LQ4] without a majority in a round whose stopwatch runs it has lost the lock, says so, and leaves', () => {
    const lost = after(held(), 'validity');
    expect(sends(lost)).toEqual([
      notify({ type: 'lost', reason: 'lease-expired' }),
      ...toAll({ type: 'released', ballot: 1, floor: 2 }),
    ]);
    expect(client(lost)).toBe('idle');
    expect(timers(lost)).toEqual([]);
    // the second round counts on
    expect(client(after(held(), 'renewal', vote('a', 1, 2), 'validity'))).toBe('held');
    expect(client(after(held(), 'renewal', 'validity'))).toBe('idle');
  });

  it('[LQ5] it returns the votes with a floor above its ballot', () => {
    const left = after(held(), { type: 'release' });
    expect(sends(left)).toEqual(toAll({ type: 'released', ballot: 1, floor: 2 }));
    expect(left.state).toMatchObject({
      value: { client: 'idle', odd: 'off', voter: 'free' },
      context: { floor: 2, vote: 0, round: 0 },
    });
  });

  it('[LQ6] on an inquiry or a refusal a waiting client takes a new ballot; a holder does not', () => {
    const inquired = after(waiting(), vote('b', 1), { type: 'inquire', from: 'a', ballot: 1 });
    expect(sends(inquired)).toEqual(toAll({ type: 'request', ballot: 4, round: 1, floor: 0 }));
    expect(inquired.state.context).toMatchObject({ ballot: 4, votes: [0, 1, 0], vote: 4 });
    const refused = after(waiting(), { type: 'refused', from: 'a', ballot: 1, floor: 9 });
    expect(sends(refused)).toEqual(toAll({ type: 'request', ballot: 10, round: 1, floor: 0 }));
    expect(sends(after(waiting(), { type: 'refused', from: 'a', ballot: 0, floor: 9 }))).toEqual(
      [],
    );
    for (const type of ['inquire', 'refused'] as const)
      expect(sends(after(held(), { type, from: 'a', ballot: 1, floor: 9 }))).toEqual([]);
  });

  it('[LQ7] it returns a vote for another ballot than it requests', () => {
    const back = [send('a', { type: 'released', ballot: 1, floor: 0 })];
    expect(sends(after(node(), vote('a', 1)))).toEqual(back);
    expect(sends(after(node(), { type: 'inquire', from: 'a', ballot: 1 }))).toEqual(back);
    const second = after(waiting(), { type: 'refused', from: 'c', ballot: 1, floor: 3 }).state;
    expect(sends(after(second, vote('a', 1)))).toEqual(back);
    expect(sends(after(second, { type: 'inquire', from: 'a', ballot: 1 }))).toEqual(back);
    const inside = after(second, vote('a', 4)).state;
    for (const event of [vote('a', 1), { type: 'inquire', from: 'a', ballot: 1 } as const])
      expect(sends(after(inside, event))).toEqual([
        send('a', { type: 'released', ballot: 1, floor: 4 }),
      ]);
    expect(sends(after(node(), { type: 'refused', from: 'a', ballot: 1, floor: 3 }))).toEqual([]);
  });

  it('[LQ8] a free voter votes; a later round of the same ballot renews the lease', () => {
    const bound = after(node(), request('a', 3));
    expect(sends(bound)).toEqual([send('a', { type: 'vote', ballot: 3, round: 1 })]);
    expect(bound.state.context).toMatchObject({ vote: 3 });
    const renewed = after(bound.state, request('a', 3, 2));
    expect(sends(renewed)).toEqual([send('a', { type: 'vote', ballot: 3, round: 2 })]);
    // the timer of the lease starts anew
    expect(renewed.effects.map(({ type }) => type)).toContain('cancel');
  });

  it('[LQ9] a voter refuses a ballot below its floor, and votes for one at its floor', () => {
    expect(sends(after(node({ floor: 4 }), request('a', 3)))).toEqual([
      send('a', { type: 'refused', ballot: 3, floor: 4 }),
    ]);
    expect(sends(after(node(), request('c', 5), request('a', 3, 1, 4)))).toEqual([
      send('a', { type: 'refused', ballot: 3, floor: 4 }),
    ]);
    expect(sends(after(node({ floor: 3 }), request('a', 3)))).toEqual([
      send('a', { type: 'vote', ballot: 3, round: 1 }),
    ]);
  });

  it('[LQ10] a bound voter queues requests and inquires for an older one; a later ballot of the client returns the vote', () => {
    const bound = after(node(), request('a', 3)).state;
    expect(sends(after(bound, request('c', 5)))).toEqual([]);
    expect(sends(after(bound, request('c', 2)))).toEqual([
      send('a', { type: 'inquire', ballot: 3 }),
    ]);
    const queue = after(
      bound,
      request('c', 5),
      request('c', 2),
      request('c', 5, 2),
      request('c', 5, 1),
    ).state.context.queue;
    expect(queue).toEqual([{ ballot: 5, round: 2 }]);
    const next = after(bound, request('c', 5), request('a', 6));
    expect(sends(next)).toEqual([send('c', { type: 'vote', ballot: 5, round: 1 })]);
    expect(next.state.context).toMatchObject({ vote: 5, queue: [{ ballot: 6, round: 1 }] });
    expect(sends(after(bound, request('a', 0)))).toEqual([]);
  });

  it('[LQ11] a returned vote goes to the oldest request that is not below the floor', () => {
    const bound = after(node(), request('a', 6), request('c', 5), request('b', 7)).state;
    const next = after(bound, released('a', 6, 0));
    expect(sends(next)).toEqual([send('c', { type: 'vote', ballot: 5, round: 1 })]);
    const left = after(bound, released('a', 6, 7));
    expect(sends(left)[0]).toEqual(send('c', { type: 'refused', ballot: 5, floor: 7 }));
    // its own client returned the vote
    expect(left.state.context).toMatchObject({ vote: 0, floor: 7 });
    expect(after(node(), request('a', 6), released('a', 6, 7)).state).toMatchObject({
      value: { voter: 'free' },
      context: { vote: 0 },
    });
    const gone = after(bound, released('c', 5, 0));
    expect(gone.state.context).toMatchObject({ vote: 6, queue: [{ ballot: 7, round: 1 }] });
    expect(after(bound, released('a', 3, 4)).state.context).toMatchObject({ vote: 6, floor: 4 });
  });

  it('[LQ12] when the lease ends, the floor is the ballot, and the vote goes to the oldest request', () => {
    const ended = after(node(), request('a', 3), request('c', 5), 'lease');
    expect(sends(ended)).toEqual([send('c', { type: 'vote', ballot: 5, round: 1 })]);
    expect(ended.state.context).toMatchObject({ floor: 3, vote: 5 });
    const free = after(node(), request('a', 3), 'lease');
    expect(free.state).toMatchObject({ value: { voter: 'free' }, context: { floor: 3, vote: 0 } });
    expect(sends(after(free.state, request('a', 3, 2)))).toEqual([
      send('a', { type: 'vote', ballot: 3, round: 2 }),
    ]);
  });

  it('[LQ13] a voter that restarts with a vote is bound for a whole lease', () => {
    const again = node({ ballot: 4, floor: 2, vote: 6 });
    expect(again).toMatchObject({ value: { voter: 'bound' }, context: { largest: 6 } });
    expect(timers(after(again))).toEqual(['lease']);
    expect(sends(after(again, acquire))).toEqual([
      ...toAll({ type: 'request', ballot: 7, round: 1, floor: 2 }),
    ]);
    expect(sends(after(again, request('a', 6, 4)))).toEqual([
      send('a', { type: 'vote', ballot: 6, round: 4 }),
    ]);
  });

  it('[LQ14] a client that cancels returns the votes, and does not use the ballot again', () => {
    const cancelled = after(waiting(), { type: 'cancel' });
    expect(sends(cancelled)).toEqual(toAll({ type: 'released', ballot: 1, floor: 0 }));
    expect(cancelled.state).toMatchObject({
      value: { client: 'idle', voter: 'free' },
      context: { floor: 0 },
    });
    expect(sends(after(cancelled.state, acquire))).toEqual(
      toAll({ type: 'request', ballot: 4, round: 1, floor: 0 }),
    );
  });
});

describe('leased-majority rules with keep', () => {
  const fields = { ...input, keep: 3, block: 3 };
  const released1 = toAll({ type: 'released', ballot: 1, floor: 2 });
  const kept = (...events: readonly (Event | Timer)[]) =>
    events.reduce((taken: Taken, event) => taking(keepingWithCancel, taken, event), {
      state: start(keepingWithCancel, 'b', fields).state,
      effects: [],
    });
  const left = [acquire, vote('a', 1), { type: 'release' }] as const;

  it('[LQ15] a client that leaves keeps its votes, renews them, and enters again without a message', () => {
    const keeping = kept(...left);
    expect([client(keeping), sends(keeping)]).toEqual(['keeping', []]);
    expect(keeping.state.context).toMatchObject({ floor: 1, vote: 1 });
    const again = kept(...left, acquire);
    expect([client(again), sends(again)]).toEqual(['held', []]);
    expect(again.state.context).toMatchObject({ ballot: 1, floor: 1, again: 1 });
    expect(again.effects).toEqual([]); // no timer starts anew
    expect(sends(kept(...left, 'renewal'))).toEqual(
      toAll({ type: 'request', ballot: 1, round: 2, floor: 1 }),
    );
    expect(sends(kept(...left, acquire, 'renewal'))).toEqual(
      toAll({ type: 'request', ballot: 1, round: 2, floor: 1 }),
    );
  });

  it.each<readonly [why: string, events: readonly (Event | Timer)[]]>([
    ['a request arrives', [...left, request('c', 2)]],
    ['its ballot is inquired of', [...left, { type: 'inquire', from: 'a', ballot: 1 }]],
    ['keep has passed', [...left, 'keep']],
    ['the last renewal is not answered', [...left, 'renewal', 'renewal']],
    ['its lease is over', [...left, 'validity']],
    [
      'a request waits when it leaves',
      [acquire, vote('a', 1), request('c', 2), { type: 'release' }],
    ],
    ['keep has passed when it leaves', [...left, acquire, 'keep', { type: 'release' }]],
    ['its block is used', [...left, acquire, { type: 'release' }, acquire, { type: 'release' }]],
  ])('[LQ16] it returns them when %s', (_why, events) => {
    const returned = kept(...events);
    expect(client(returned)).toBe('idle');
    expect(sends(returned)).toEqual(expect.arrayContaining(released1));
    expect(returned.state.context).toMatchObject({ floor: 2, again: 0 });
    expect(timers(returned)).toEqual(returned.state.context.vote === 0 ? [] : ['lease']);
  });

  it('[LQ17] it returns them when its application says so', () => {
    const returned = kept(...left, { type: 'yield' });
    expect([client(returned), sends(returned)]).toEqual(['idle', released1]);
    expect(returned.state.value).toMatchObject({ renewals: 'off', tenure: 'off' });
  });
});
