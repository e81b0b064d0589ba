import { explore } from '@conclave/check';
import { describe, expect, it } from 'vitest';
import type { Setup } from '../link/link.js';
import { attemptAt, type Badge, badges, starvedOn } from './properties.js';
import { Session } from './session.js';
import { systemOf } from './system.js';
import { wordsOf } from './words.js';

const setup: Setup = {
  protocol: 'ricart-agrawala',
  options: {},
  topology: 'complete:2',
  budget: {},
};
const open = (change: Partial<Setup> = {}, steps: readonly number[] = []) =>
  Session.open({ setup: { ...setup, ...change }, view: 'world', steps });

const named = (all: readonly Badge[], part: string): Badge =>
  all.find(({ name }) => name.includes(part)) ?? expect.fail(`no ${part}`);

describe('the badges of a session', () => {
  it('are the properties of the protocol and the standard ones, at the moment that is shown', async () => {
    const session = await open();
    const all = badges(session);
    expect(all.value.map(({ name }) => name)).toEqual([
      ...session.system.protocol.properties.map(({ name }) => name),
      'every message is handled or explicitly ignored',
      'no node waits in a quiescent state',
      'no step fails',
    ]);
    const enters = () => {
      const { value, reason, nodes } = named(all.value, 'eventually enters');
      return { value, reason, nodes };
    };
    expect(enters()).toMatchObject({ value: 'true' });
    session.take(0);
    expect(enters()).toEqual({ value: 'undecided', reason: 'a waits.', nodes: ['a'] });
    session.back();
    expect(enters()).toMatchObject({ value: 'true' });
    session.forward();
    expect(enters()).toMatchObject({ value: 'undecided' });
    expect(badges(session)).toBe(all);
  });

  it('judge a moment once', async () => {
    const session = await open();
    const all = badges(session);
    const [first] = [all.value];
    session.take(0);
    session.back();
    expect(all.value).toBe(first);
  });

  it('say since when a property is false, and keep to their branch', async () => {
    const change = { budget: { duplications: 1 } };
    const { protocol, topology } = await systemOf({ ...setup, ...change });
    const found = explore(protocol, topology, change.budget).properties.find(
      ({ verdict }) => verdict === 'violated',
    );
    const { name = '', steps = [] } = found ?? {};
    expect(steps.length).toBeGreaterThan(2);
    const session = await open(change, steps);
    const all = badges(session);
    const isFalse = () => named(all.value, name).value === 'false';
    expect(isFalse()).toBe(true);
    expect(named(all.value, name).since).toBe(session.now.value);
    expect(named(all.value, name).nodes).not.toEqual([]);
    session.back();
    expect(isFalse()).toBe(false);
  });

  it('stay false behind the moment where one became so', async () => {
    const change = { protocol: 'raymond', topology: 'tree:2:3', budget: { losses: 1 } };
    const { protocol, topology } = await systemOf({ ...setup, ...change });
    const found = explore(protocol, topology, change.budget).properties.find(({ name }) =>
      name.startsWith('there is exactly one token'),
    );
    const session = await open(change, found?.steps);
    const { now } = session;
    const token = () => named(badges(session).value, 'exactly one token');
    const [lost, before] = [now.value, token()];
    expect(before).toMatchObject({ value: 'false', since: lost });
    while (session.run.actions(now.value).length > 0) session.take(0);
    expect(now.value.depth).toBeGreaterThan(lost.depth);
    expect(token()).toEqual(before);
    expect(named(badges(session).value, 'quiescent')).toMatchObject({
      value: 'false',
      since: now.value,
    });
    session.goTo(lost);
    session.back();
    expect(token()).toMatchObject({ value: 'true' });
  });

  it('decide properties of runs where the run repeats forever', async () => {
    const change = { protocol: 'lelann-chang-roberts', topology: 'ring:3', budget: {} };
    const session = await open(change);
    session.take(0);
    const undecided = badges(session)
      .value.filter(({ value }) => value === 'undecided')
      .map(({ name }) => name);
    expect(undecided).not.toEqual([]);
    session.loop.value = session.now.value; // nothing more happens
    const decided = badges(session).value.filter(({ value }) => value === 'false');
    expect(undecided).toEqual(expect.arrayContaining(decided.map(({ name }) => name)));
    expect(decided).not.toEqual([]);
    for (const { since } of decided) expect(since).toBe(session.now.value);
    session.loop.value = session.run.start; // the worlds differ: this is no loop
    expect(badges(session).value.filter(({ value }) => value === 'false')).toEqual([]);
  });
});

it('an exercise is solved where its property is false, after no more steps than allowed', async () => {
  const session = new Session(
    await systemOf({
      protocol: 'bully',
      options: {},
      topology: 'complete:3',
      budget: { time: 'untimed' },
    }),
  );
  const property = 'at most one node is the leader';
  const of = (within: number, name = property) =>
    attemptAt({ property: name, within }, badges(session).value, session.now.value.depth);
  expect(of(3)).toEqual({ kind: 'open', left: 3 });
  session.show([0, 4, 1]);
  expect(of(3)).toEqual({ kind: 'solved', steps: 3 });
  expect(of(2)).toEqual({ kind: 'too long', steps: 3 });
  expect(of(3, 'all is well')).toEqual({ kind: 'unknown' });
  session.take(0); // it stays solved by the step that violated it
  expect(of(3)).toEqual({ kind: 'solved', steps: 3 });
});

it('tells a delivery that stays possible all the way around and never happens', async () => {
  const session = new Session(
    await systemOf({ protocol: 'A3', options: {}, topology: 'complete:3', budget: {} }),
  );
  const take = (words: string) =>
    session.take(
      session.run
        .actions(session.now.value)
        .findIndex((action) => wordsOf(session.system, session.now.value.world, action) === words),
    );
  take('a acquires');
  const first = session.now.value;
  take('b acquires');
  take('c acquires');
  const starved = starvedOn(session.run, first, session.now.value);
  expect(starved && wordsOf(session.system, session.now.value.world, starved)).toBe(
    'deliver request(1) from a to b',
  );
  for (const words of ['deliver request(1) from a to b', 'deliver request(1) from a to c'])
    take(words);
  for (const words of ['deliver request(1) from b to a', 'deliver request(1) from b to c'])
    take(words);
  // Those of c were not possible at each of these moments.
  expect(starvedOn(session.run, first, session.now.value)).toBe(undefined);
});

it('finds none on a run that goes around fairly', async () => {
  const session = new Session(
    await systemOf({ protocol: 'A11', options: {}, topology: 'ring:3', budget: { commands: 0 } }),
  );
  for (let step = 0; step < 3; step++) session.take(0);
  expect(starvedOn(session.run, session.run.start, session.now.value)).toBe(undefined);
});
