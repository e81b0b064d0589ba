import { expect, it } from 'vitest';
import { starvedOn } from './properties.js';
import { Session } from './session.js';
import { systemOf } from './system.js';
import { wordsOf } from './words.js';

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
