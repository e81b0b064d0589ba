import { Worlds } from '@conclave/check/internal';
import { catalogue } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { check, conclusionOf, lengthText } from './conclusion.js';
import { whatIfs } from './possible.js';
import { systemOf } from './system.js';

describe('what if', () => {
  proof(
    'offers only budgets that the explorer takes, to each protocol of the catalogue',
    async () => {
      for (const { name } of catalogue) {
        const system = await systemOf({ protocol: name, options: {}, budget: {} });
        const { protocol, topology } = system;
        const offered = whatIfs(system);
        expect(offered.length).toBeGreaterThan(1);
        for (const { change } of offered) new Worlds(protocol, topology, change);
        const all = Object.assign({}, ...offered.map(({ change }) => change));
        const worlds = new Worlds(protocol, topology, all);
        for (const { change } of whatIfs({
          ...system,
          setup: { ...system.setup, budget: all },
          worlds,
        }))
          new Worlds(protocol, topology, { ...all, ...change });
      }
    },
  );

  it('says which assumption it breaks, and none where the protocol should bear it', async () => {
    const texts = async (protocol: string) =>
      whatIfs(await systemOf({ protocol, options: {}, budget: {} })).map(({ text, breaks }) => [
        text,
        breaks,
      ]);
    expect(await texts('raymond')).toContainEqual([
      'channels lose a message',
      'channels lose nothing',
    ]);
    expect(await texts('lamport')).toContainEqual([
      'messages overtake each other',
      'channels keep the order',
    ]);
    expect(await texts('bully')).toContainEqual(['one node crashes', undefined]);
  });

  it('breaks what it says: the counterexample of one lost message', async () => {
    const system = await systemOf({ protocol: 'raymond', options: {}, budget: {} });
    expect(conclusionOf(check(system, {}, () => {}))).toEqual({
      tone: 'true',
      title: 'Holds',
      text: 'Every reachable world was explored.',
    });
    const [loss] = whatIfs(system);
    const broken = check(
      await systemOf({ ...system.setup, budget: { ...loss?.change } }),
      {},
      () => {},
    );
    expect(conclusionOf(broken)).toMatchObject({
      tone: 'false',
      title: 'Violated',
      text: '3 properties are violated. Every reachable world was explored.',
    });
    const found = broken.properties.find(
      ({ name }) => name === 'every node that wants to enter eventually enters',
    );
    expect(found && lengthText(found)).toBe('2 steps');
  });
});

it('changes time where the protocol relies on it: two leaders by a timer that is early', async () => {
  const system = await systemOf({ protocol: 'bully', options: {}, budget: {} });
  const offered = whatIfs(system);
  expect(offered.map(({ breaks }) => breaks)).toEqual(
    expect.arrayContaining([
      'messages take at most 100 ms',
      'clocks do not drift',
      'messages and timers keep their times',
    ]),
  );
  const early = offered.find(({ text }) => text === 'timers fire at any moment');
  const broken = check(
    await systemOf({ ...system.setup, budget: { ...early?.change } }),
    { limits: { states: 20_000 } },
    () => {},
  );
  const found = broken.properties.find(({ name }) => name === 'at most one node is the leader');
  expect([found?.verdict, found && lengthText(found)]).toEqual(['violated', '3 steps']);
  const untimed = whatIfs(await systemOf({ protocol: 'raymond', options: {}, budget: {} }));
  expect(untimed.some(({ change }) => change.time !== undefined)).toBe(false);
});

describe('the conclusion of a check', () => {
  const of = async (
    setup: { protocol: string; topology?: string; budget?: object },
    input: Parameters<typeof check>[1],
  ) => conclusionOf(check(await systemOf({ options: {}, budget: {}, ...setup }), input, () => {}));

  it('is incomplete after a limit, and tells it', async () => {
    expect(await of({ protocol: 'ricart-agrawala' }, { limits: { states: 100 } })).toMatchObject({
      tone: 'undecided',
      title: 'Incomplete',
      text: expect.stringMatching(
        /^The limit of 100 worlds was reached, with \d+ worlds found\. .*nothing is proved to hold\.$/,
      ),
    });
  });

  it('tells what was left out', async () => {
    expect((await of({ protocol: 'raymond' }, { safety: true })).text).toMatch(
      /properties of runs were left out\.$/,
    );
  });

  it('is violated by what nothing reaches, and vacuous where nothing applies', async () => {
    expect(await of({ protocol: 'raymond', budget: { commands: 0 } }, {})).toMatchObject({
      tone: 'false',
      title: 'Unreached',
    });
  });
});
