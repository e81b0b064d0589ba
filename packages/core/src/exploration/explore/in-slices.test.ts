import { protocolOf } from '@conclave/tools/catalogue';
import { proof } from '@conclave/tools/sample';
import { expect, it } from 'vitest';
import { topology } from '../../topology/index.js';
import { explore, exploreInSlices } from './explore.js';

const protocol = protocolOf('A3');
const network = topology('complete:3');

it.each([
  ['breadth-first', { commands: 1 }, true],
  ['up to a limit', { commands: 2, limits: { states: 100_000 } }, true],
  ['with a loss, which violates something', { losses: 1 }, true],
  ['in exact time', { time: { kind: 'exact', delay: [1, 2] } }, true],
  ['depth-first', { search: 'depth' }, false],
] as const)('%s, slices find what one search finds', (_, options, isSliced) => {
  const work = exploreInSlices(protocol, network, options);
  let slices = 1;
  let step = work.next();
  for (; !step.done; step = work.next()) slices++;
  const { seconds: _seconds, ...found } = step.value;
  const { seconds: _other, ...expected } = explore(protocol, network, options);
  expect(found).toEqual(expected);
  expect(slices > 1).toBe(isSliced);
});

proof('what passes between slices does not count, and user code has no chance there either', () => {
  const random = Math.random;
  const limits = { seconds: 2 };
  const work = exploreInSlices(protocol, network, { commands: 1, limits });
  const first = work.next();
  expect(first.done).toBe(false);
  expect(Math.random).not.toBe(random);
  const until = performance.now() + 2500;
  while (performance.now() < until);
  let step = work.next();
  while (!step.done) step = work.next();
  expect(step.value).toMatchObject({ complete: true });
  expect(step.value.seconds).toBeLessThan(2);
  expect(Math.random).toBe(random);
});
