import { expect, it } from 'vitest';
import { Session } from '../../model/session.js';
import { systemOf } from '../../model/system.js';
import { wordsOf } from '../../model/words.js';
import { causesOf } from './picture.js';

it('what happened before a step, by its node or by what reached it', async () => {
  const session = new Session(
    await systemOf({ protocol: 'A3', options: {}, topology: 'complete:3', budget: {} }),
  );
  const { system, run } = session;
  for (const words of [
    'a acquires',
    'c acquires',
    'deliver request(1) from a to b',
    'deliver request(1) from c to a',
    'deliver reply from b to a',
  ]) {
    const actions = run.actions(session.now.value);
    session.take(
      actions.findIndex((one) => wordsOf(system, session.now.value.world, one) === words),
    );
  }
  const trace = run.trace(session.tip.value);
  const of = (line: number) => [...causesOf(trace, line)];
  expect(of(0)).toEqual([0]);
  expect(of(2)).toEqual([0, 2]); // not that c acquires
  expect(of(3)).toEqual([0, 1, 3]);
  expect(of(4)).toEqual([0, 1, 2, 3, 4]);
});
