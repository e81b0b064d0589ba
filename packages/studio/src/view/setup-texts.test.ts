import { expect, it } from 'vitest';
import type { Setup } from '../link/link.js';
import { systemOf, systemText } from '../model/system.js';
import { type Option, setupOf, textsOf } from './setup-texts.js';

const options: readonly Option[] = [
  { name: 'greedy', type: 'number', meaning: '' },
  { name: 'piggyback', type: 'boolean', meaning: '' },
];
const setup: Setup = {
  protocol: 'raymond',
  options: { greedy: 2, piggyback: true },
  topology: 'tree:2:3',
  budget: { commands: 1, losses: 2, order: 'fifo', initiators: ['a', 'b'], unsent: true },
};

const assumed = { kind: 'exact', delay: [50, 100], stays: { critical: [0, 50] } } as const;
const timed: Setup = { protocol: 'B1', options: {}, budget: {} };

it('reads back what it shows', () => {
  expect(setupOf(textsOf(setup), options, setup)).toEqual(setup);
});

it('has a field for crashes that fall only between steps, off by default', () => {
  const crash: Setup = { ...setup, budget: { crashes: 1 } };
  expect(textsOf(crash).atomicSteps).toBe('');
  const atomic = setupOf({ ...textsOf(crash), atomicSteps: 'true' }, options, crash);
  expect(atomic.budget).toEqual({ crashes: 1, atomicSteps: true });
  expect(setupOf({ ...textsOf(atomic), atomicSteps: '' }, options, atomic)).toEqual(crash);
});

it('says the system in words', async () => {
  expect(systemText(await systemOf(setup))).toBe(
    'tree:2:3; greedy 2; piggyback true; acquire once at a, b; channels keep the order; at most 2 messages lost; a crash may lose what was sent in earlier steps',
  );
  const time = { kind: 'exact', drift: 0.2, delay: [50, 500] } as const;
  const said = async (budget: Setup['budget']) => systemText(await systemOf({ ...timed, budget }));
  expect(await said({ time })).toContain('exact time, messages take 50–500 ms, drift 0.2');
  expect(await said({ time: 'untimed' })).toContain('no time: timers fire at any moment');
});

it('refuses what is no number, and says what to try', () => {
  expect(() => setupOf({ ...textsOf(setup), losses: '-1' }, options, setup)).toThrow(
    /'-1' is no number of losses. Take a whole number/,
  );
  expect(() => setupOf({ ...textsOf(setup), 'option piggyback': 'yes' }, options, setup)).toThrow(
    /Take true or false/,
  );
});

it('has fields for time, filled with what the protocol assumes', () => {
  const texts = textsOf(timed, assumed);
  expect(texts).toMatchObject({ time: '', least: '50', most: '100', drift: '0' });
  expect(setupOf(texts, [], timed, assumed).budget).toEqual({});
  const late = setupOf({ ...texts, time: 'untimed' }, [], timed, assumed);
  expect(late.budget).toEqual({ time: 'untimed' });
  const slow = setupOf({ ...texts, time: 'exact', most: '500', drift: '0.2' }, [], timed, assumed);
  expect(slow.budget.time).toEqual({ ...assumed, delay: [50, 500], drift: 0.2 });
  expect(setupOf(textsOf(slow, assumed), [], slow, assumed)).toEqual(slow);
  expect(setupOf({ ...textsOf(slow, assumed), time: '' }, [], slow, assumed)).toEqual(timed);
  expect(() => setupOf({ ...texts, time: 'exact', most: 'long' }, [], timed)).toThrow(
    /'long' is no number for 'to, ms'/,
  );
});

it('has a field for the commands themselves', () => {
  const inputs = [{ type: 'multicast', content: 'x' }];
  const texts = { ...textsOf(timed), inputs: JSON.stringify(inputs) };
  const given = setupOf(texts, [], timed);
  expect(given.budget).toEqual({ inputs });
  expect(textsOf(given).inputs).toBe(texts.inputs);
  for (const wrong of ['{', '{}', '3'])
    expect(() => setupOf({ ...texts, inputs: wrong }, [], timed)).toThrow(/no list of commands/);
});
