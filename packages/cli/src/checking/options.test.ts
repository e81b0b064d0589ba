import { expect, it } from 'vitest';
import { usualSecondsOfMachine, withUsualLimit } from './options.js';

it('limits the time of a bare machine, unless another limit or walks are given', () => {
  const machine = { drawn: {} };
  expect(withUsualLimit(machine, {})).toEqual({ maxSeconds: usualSecondsOfMachine });
  for (const given of [{ maxStates: 100 }, { maxSeconds: 5 }, { maxDepth: 3 }, { walks: 10 }])
    expect(withUsualLimit(machine, given)).toEqual(given);
  expect(withUsualLimit({}, {})).toEqual({});
});
