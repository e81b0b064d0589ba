import { start, step } from '@conclave/core/internal';
import { type LocalState, notify, send } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { takeAll } from '../../contract/machines.contract.js';
import { emptyVector, type Vector } from './knowledge.js';
import { type Event, machine } from './negative-multicast.js';

describe('negative-multicast rules', () => {
  const nodes = ['a', 'b', 'c'];
  const known = Object.fromEntries(nodes.map((id) => [id, emptyVector(nodes)]));
  const input = {
    self: 'b',
    others: ['a', 'c'],
    known,
    buffer: [],
    period: 500,
    patience: 900,
    retry: 300,
  };
  const first = start(machine, 'b', input).state;
  const numbered = (origin: string, sequence: number, data = 'x') => ({ origin, sequence, data });
  const data = (from: string, message: ReturnType<typeof numbered>): Event => ({
    type: 'data',
    ...message,
    from,
  });
  const taken = (...events: Event[]) => takeAll(machine, 'b', first, events);
  const vector = (a: number, b: number, c: number) => ({ a, b, c });
  const vectors = (
    type: 'summary' | 'report',
    from: string,
    delivered: Vector,
    stable: Vector,
  ): Event => ({ type, from, delivered, stable });
  const told = (data: string): Event => ({ type: 'multicast', data });
  const without = (effects: ReturnType<typeof step>['effects']) =>
    effects.filter(({ type }) => type === 'send' || type === 'notify');
  const deliver = (from: string, sequence: number, data = 'x') =>
    notify({ type: 'deliver', from, sequence, data });
  const timerOf = (state: LocalState, part: string) => {
    const timer = state.timers.find(({ id }) => id.includes(part));
    if (!timer) throw new Error(`no timer ${part}`);
    return timer;
  };
  const fire = (state: LocalState, part: string) =>
    step(
      machine,
      'b',
      { ...state, timers: state.timers.filter((timer) => timer !== timerOf(state, part)) },
      timerOf(state, part).event,
    );

  it('[NM1] a member numbers its messages, delivers each at once, and sends it to all others', () => {
    const { effects, state } = taken(told('p'), told('q'));
    const sent = { type: 'data', ...numbered('b', 2, 'q') };
    expect(without(effects)).toEqual([send('a', sent), send('c', sent), deliver('b', 2, 'q')]);
    expect(state.value).toEqual({ receiver: 'complete', sender: 'announcing' });
  });

  it('[NM2] a message is delivered after all earlier ones of its sender; one that comes too early is held back', () => {
    const early = taken(data('a', numbered('a', 2, 'q')));
    expect(without(early.effects).filter(({ type }) => type === 'notify')).toEqual([]);
    const both = step(machine, 'b', early.state, data('a', numbered('a', 1, 'p')));
    expect(without(both.effects)).toEqual([deliver('a', 1, 'p'), deliver('a', 2, 'q')]);
  });

  it('[NM3] a duplicate is dropped, delivered or held back', () => {
    for (const sequence of [1, 2]) {
      const { state } = taken(data('a', numbered('a', sequence)));
      const again = step(machine, 'b', state, data('c', numbered('a', sequence)));
      expect(again.effects).toEqual([]);
      expect(again.state.context).toEqual(state.context);
    }
  });

  it('[NM4] a message that comes too early shows a gap; its sender is asked for what is between', () => {
    const first = taken(data('a', numbered('a', 3)));
    expect(without(first.effects)).toEqual([
      send('a', {
        type: 'nack',
        missing: [
          { origin: 'a', sequence: 1 },
          { origin: 'a', sequence: 2 },
        ],
      }),
    ]);
    const second = step(machine, 'b', first.state, data('c', numbered('a', 5)));
    expect(without(second.effects)).toEqual([
      send('c', { type: 'nack', missing: [{ origin: 'a', sequence: 4 }] }),
    ]);
  });

  it('[NM5] a member that is asked sends what it keeps of this, also of others', () => {
    const { effects } = taken(data('a', numbered('a', 1)), {
      type: 'nack',
      missing: [
        { origin: 'a', sequence: 1 },
        { origin: 'a', sequence: 2 },
      ],
      from: 'c',
    });
    expect(without(effects)).toEqual([send('c', { type: 'data', ...numbered('a', 1) })]);
  });

  it('[NM6] a member asks again after a time-out: those known to have the message, in turn', () => {
    let { state } = taken(
      data('a', numbered('a', 2)),
      vectors('report', 'c', vector(0, 0, 0), vector(0, 0, 0)),
    );
    const asked = { type: 'nack', missing: [{ origin: 'a', sequence: 1 }] };
    expect(timerOf(state, 'incomplete').delay).toBe(300);
    for (const to of ['a', 'a']) {
      const again = fire(state, 'incomplete');
      expect(without(again.effects)).toEqual([send(to, asked)]);
      state = again.state;
    }
    state = step(
      machine,
      'b',
      state,
      vectors('report', 'c', vector(0, 0, 0), vector(0, 0, 0)),
    ).state;
    state = step(
      machine,
      'b',
      state,
      vectors('summary', 'c', vector(2, 0, 0), vector(0, 0, 0)),
    ).state;
    const turns = ['c', 'a', 'c'].map(() => {
      const again = fire(state, 'incomplete');
      state = again.state;
      return without(again.effects);
    });
    expect(turns).toEqual(['c', 'a', 'c'].map((to) => [send(to, asked)]));
  });

  it('[NM7] while an own message may not be everywhere, each period a summary goes to the members that may lack something', () => {
    const { state } = taken(told('x'));
    expect(timerOf(state, 'announcing').delay).toBe(500);
    const summary = { type: 'summary', delivered: vector(0, 1, 0), stable: vector(0, 0, 0) };
    const again = fire(state, 'announcing');
    expect(without(again.effects)).toEqual([send('a', summary), send('c', summary)]);
    const reported = step(
      machine,
      'b',
      again.state,
      vectors('report', 'a', vector(0, 1, 0), vector(0, 0, 0)),
    );
    expect(without(fire(reported.state, 'announcing').effects)).toEqual([send('c', summary)]);
  });

  it('[NM8] a member that keeps only messages of others probes their senders after patience, and then asks all', () => {
    const { state } = taken(data('a', numbered('a', 1)));
    expect(timerOf(state, 'listening').delay).toBe(900);
    const summary = { type: 'summary', delivered: vector(1, 0, 0), stable: vector(0, 0, 0) };
    const probed = fire(state, 'listening');
    expect(without(probed.effects)).toEqual([send('a', summary)]);
    expect(timerOf(probed.state, 'probing').delay).toBe(300);
    expect(without(fire(probed.state, 'probing').effects)).toEqual([send('c', summary)]);
    const reported = step(
      machine,
      'b',
      probed.state,
      vectors('report', 'a', vector(1, 0, 0), vector(0, 0, 0)),
    );
    expect(reported.state.value).toEqual({
      receiver: 'complete',
      sender: { standby: 'listening' },
    });
  });

  it('[NM9] a summary is answered: by a request for what it shows and is missing, otherwise by a report', () => {
    const shows = (a: number): Event => vectors('summary', 'c', vector(a, 0, 0), vector(0, 0, 0));
    const { state } = taken(data('a', numbered('a', 1)));
    expect(without(step(machine, 'b', state, shows(2)).effects)).toEqual([
      send('c', { type: 'nack', missing: [{ origin: 'a', sequence: 2 }] }),
    ]);
    const stable = step(machine, 'b', state, shows(1));
    expect(without(stable.effects)).toEqual([
      send('c', { type: 'report', delivered: vector(1, 0, 0), stable: vector(1, 0, 0) }),
    ]);
  });

  it('[NM10] a message is kept until all members are known to have it', () => {
    const { state } = taken(data('a', numbered('a', 1)));
    expect(state.context.buffer).toEqual([numbered('a', 1)]);
    const told = (delivered: number, stable: number) =>
      step(
        machine,
        'b',
        state,
        vectors('report', 'c', vector(delivered, 0, 0), vector(stable, 0, 0)),
      ).state.context;
    expect(told(0, 0).buffer).toEqual([numbered('a', 1)]);
    expect(told(1, 0).buffer).toEqual([]);
    const { context } = step(
      machine,
      'b',
      state,
      vectors('report', 'a', vector(1, 0, 0), vector(1, 0, 0)),
    ).state;
    expect(context).toMatchObject({ buffer: [], known: { c: vector(1, 0, 0) } });
  });

  it('[NM11] when all own messages are stable, all members are told', () => {
    const report = (from: string): Event => ({
      type: 'report',
      delivered: vector(0, 1, 0),
      stable: vector(0, 0, 0),
      from,
    });
    const { effects, state } = taken(told('x'), report('a'), report('c'));
    const last = { type: 'report', delivered: vector(0, 1, 0), stable: vector(0, 1, 0) };
    expect(without(effects)).toEqual([send('a', last), send('c', last)]);
    expect([state.value, state.timers]).toEqual([{ receiver: 'complete', sender: 'stable' }, []]);
  });
});
