import { expect, it } from 'vitest';
import { Session } from './session.js';
import { systemOf } from './system.js';
import { differences } from './words.js';

it('tells in which nodes and messages two branches differ, and nothing of what is alike', async () => {
  const session = new Session(
    await systemOf({ protocol: 'A3', options: {}, topology: 'complete:2', budget: {} }),
  );
  const { start } = session.run;
  const [a, b] = [session.run.take(start, 0), session.run.take(start, 1)];
  expect(differences(session.system, [a.world, a.world])).toEqual([]);
  expect(differences(session.system, [a.world, b.world])).toEqual([
    'a: wanted here, released there; clock 1 here, 0 there; requestedAt 1 here, 0 there; awaiting ["b"] here, [] there',
    'b: released here, wanted there; clock 0 here, 1 there; requestedAt 0 here, 1 there; awaiting [] here, ["a"] there',
    'request(1) a→b: on its way here only',
    'request(1) b→a: on its way there only',
  ]);
  // the same two steps in another order
  const orders = [session.run.take(a, 0), session.run.take(b, 0)].map(({ world }) => world);
  expect(differences(session.system, [orders[0] ?? a.world, orders[1] ?? b.world])).toEqual([]);
});
