/** The option `voters`: the holder changes who votes. */
import { fire, start, step } from '@conclave/core/internal/protocol';
import { type LocalState, send } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { changingMachine } from './changing.js';
import { cancellable } from './leased-majority.js';
import type { Event } from './node.js';

const withCancel = cancellable(changingMachine);

const now = { number: 0, voters: ['a', 'b', 'c'] };
const next = { number: 1, voters: ['b', 'c', 'd'] };
/** Node b of four: its ballots are 1, 5, 9 … */
const input = {
  self: 'b',
  nodes: ['a', 'b', 'c', 'd'],
  ...{ lease: 5, validity: 4, renewal: 1, ballot: 0, floor: 0, vote: 0 },
  configuration: now,
  accepted: null,
};
type Taken = ReturnType<typeof step>;

const after = (state: LocalState, ...events: readonly (Event | 'renewal')[]): Taken =>
  events.reduce(
    (taken: Taken, event) => {
      if (event !== 'renewal') return step(withCancel, 'b', taken.state, event);
      const timer = taken.state.timers.find(({ id }) => id.split('.')[2] === event);
      return fire(withCancel, 'b', taken.state, timer?.id ?? '');
    },
    { state, effects: [] },
  );
const node = (more: object = {}) => start(withCancel, 'b', { ...input, ...more }).state;
const acquire: Event = { type: 'acquire' };
const change: Event = { type: 'change', voters: next.voters };
const accepted = { ballot: 1, voters: next.voters };
const vote = (from: string, more: object = {}): Event => ({
  ...{ type: 'vote', from, ballot: 1, round: 1, configuration: now, next: null },
  ...more,
});
const request = (from: string, more: object = {}): Event => ({
  ...{ type: 'request', from, ballot: 4, round: 1, floor: 0, configuration: now, next: null },
  ...more,
});
const sends = ({ effects }: Taken) => effects.filter(({ type }) => type === 'send');
const receivers = (taken: Taken) => sends(taken).map((effect) => ('to' in effect ? effect.to : ''));
const client = ({ state: { value } }: Taken) => Object(value).client;
const told = ({ effects }: Taken) => effects.filter(({ type }) => type === 'notify');
const changeOf = ({ state }: Taken) => Object(state.context).change;
const held = () => after(node(), acquire, vote('a')).state;
const proposed = () => after(held(), change, vote('d')).state;

describe('leased-majority rules with voters', () => {
  it('[VC1] it asks the voters, counts their votes only, and returns those of the new ones, too', () => {
    const waiting = after(node(), acquire);
    expect(receivers(waiting)).toEqual(['a', 'c']);
    expect(client(after(waiting.state, vote('d')))).toBe('waiting');
    expect(client(after(waiting.state, vote('c')))).toBe('held');
    expect(receivers(after(held(), change, { type: 'release' })).slice(-3)).toEqual([
      'a',
      'c',
      'd',
    ]);
    const outside = start(withCancel, 'b', {
      ...input,
      configuration: { number: 0, voters: ['a', 'c'] },
    }).state;
    expect(receivers(after(outside, acquire))).toEqual(['a', 'c']);
    expect(client(after(outside, acquire, vote('a')))).toBe('waiting');
    expect(client(after(outside, acquire, vote('a'), vote('c')))).toBe('held');
  });

  it('[VC2] it takes over a later configuration, and refuses requests of an earlier one', () => {
    const learnt = { configuration: next, accepted: null };
    for (const event of [
      request('a', { configuration: next }),
      vote('a', { configuration: next }),
      { type: 'refused', from: 'a', ballot: 0, floor: 0, configuration: next } as const,
    ])
      for (const state of [node({ accepted }), after(node(), acquire).state, held()])
        expect(after(state, event).state.context).toMatchObject(learnt);
    const bound = after(node(), request('a', { configuration: next }));
    expect(sends(bound)).toEqual([
      send('a', { type: 'vote', ballot: 4, round: 1, configuration: next, next: null }),
    ]);
    const refused = [send('a', { type: 'refused', ballot: 4, floor: 0, configuration: next })];
    expect(sends(after(node({ configuration: next }), request('a')))).toEqual(refused);
    expect(sends(after(bound.state, request('a')))).toEqual(refused);
    // it asks anew where the voters are now
    const again = after(node(), acquire, {
      ...{ type: 'refused', from: 'a', ballot: 1, floor: 0, configuration: next },
    });
    expect(receivers(again).slice(-2)).toEqual(['c', 'd']);
  });

  it('[VC3] a holder is asked once for each ballot', () => {
    const asked = after(held(), change);
    expect(changeOf(asked)).toMatchObject({ phase: 'asked', ballot: 1, voters: next.voters });
    expect(receivers(asked)).toEqual(['a', 'c', 'd']);
    const other: Event = { type: 'change', voters: ['a'] };
    expect(changeOf(after(asked.state, other))).toEqual(changeOf(asked));
    expect(changeOf(after(asked.state, { type: 'release' }))).toBeNull();
  });

  it('[VC4] it proposes with both majorities; who hears of a proposal does not enter without', () => {
    const sent = sends(after(held(), change, vote('d')));
    expect(sent.at(-1)).toMatchObject({ to: 'd', message: { next: accepted } });
    // majorities of both have voted for its ballot already
    const smaller = after(held(), { type: 'change', voters: ['a', 'b'] });
    expect(changeOf(smaller)).toMatchObject({ phase: 'proposed' });
    const heard = { ballot: 0.5, voters: ['b', 'd'] };
    const waiting = after(node(), acquire, vote('a', { next: { ...heard, ballot: 0.4 } }));
    expect([client(waiting), changeOf(waiting).phase]).toEqual(['waiting', 'asked']);
    const two = after(waiting.state, vote('c', { next: heard }));
    expect(changeOf(two)).toMatchObject({ phase: 'asked', ...heard });
    expect(changeOf(after(two.state, vote('d')))).toMatchObject({ phase: 'proposed' });
    // of an earlier configuration, a proposal is over
    const later = node({ configuration: next });
    expect(changeOf(after(later, acquire, vote('c', { next: heard })))).toBeNull();
  });

  it('[VC5] a voter accepts for the ballot that has its vote; a majority decides', () => {
    const proposal = { ballot: 4, voters: next.voters };
    const free = after(node(), request('a', { next: proposal }));
    expect(free.state.context).toMatchObject({ vote: 4, accepted: null, floor: 0 });
    const bound = after(free.state, request('a', { round: 2, next: proposal }));
    expect(bound.state.context).toMatchObject({ accepted: proposal, floor: 4 });
    expect(sends(bound)).toMatchObject([{ to: 'a', message: { round: 2, next: proposal } }]);
    const other = { ballot: 7, voters: ['a'] };
    expect(
      after(bound.state, request('d', { ballot: 7, next: other })).state.context,
    ).toMatchObject({ accepted: proposal });

    const ours = { next: accepted };
    const decided = after(proposed(), vote('a', ours));
    expect(decided.state.context).toMatchObject({ configuration: next, accepted: null });
    expect(client(decided)).toBe('held');
    expect(receivers(decided)).toEqual(['c', 'd', 'a']);
    for (const votes of [
      [vote('c'), vote('d'), vote('a')], // none has accepted it
      [vote('d', ours)], // no voter yet
    ])
      expect(after(proposed(), ...votes).state.context).toMatchObject({ configuration: now });
    // after a renewal, no new voter has answered the last round
    const late = after(proposed(), 'renewal', vote('a', { ...ours, round: 2 }));
    expect(late.state.context).toMatchObject({ round: 2, configuration: now });
    expect(after(late.state, vote('d', { ...ours, round: 2 })).state.context).toMatchObject({
      configuration: next,
    });
  });

  it('[VC6] it tells its application when a majority of the new voters knows', () => {
    const decided = after(proposed(), vote('a', { next: accepted }));
    expect(told(decided)).toEqual([]);
    const known = { configuration: next };
    expect(told(after(decided.state, vote('a', known)))).toEqual([]);
    const done = after(decided.state, vote('d', known));
    expect(told(done)).toMatchObject([{ notification: { type: 'changed', ...next } }]);
    expect(changeOf(done)).toMatchObject({ phase: 'known' });
  });
});
