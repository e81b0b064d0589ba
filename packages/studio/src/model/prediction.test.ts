import { expect, it } from 'vitest';
import { predictionAt } from './rules.js';
import { Session } from './session.js';

const open = (protocol: string, budget = {}) =>
  Session.open({ setup: { protocol, options: {}, budget }, view: 'world', steps: [] });

it('asks in which state a node is after the next step, until the run ends', async () => {
  const session = await open('A3');
  const run = [0, 0];
  const first = predictionAt(session, run);
  expect(first).toMatchObject({
    ...{ kind: 'question', what: 'a acquires', node: 'a', number: 0 },
    ...{ states: ['released', 'wanted', 'held'], right: 'wanted' },
  });
  expect(session.run.size).toBe(1); // nothing was tried
  session.take(0);
  expect(predictionAt(session, run)).toMatchObject({ kind: 'question', node: 'b' });
  session.take(0);
  expect(predictionAt(session, run)).toEqual({ kind: 'end' });
});

it('asks nothing where no node takes the step, and on another run', async () => {
  const session = await open('A3', { losses: 1 });
  session.take(0);
  const loss = session.run.actions(session.now.value).findIndex(({ type }) => type === 'drop');
  expect(predictionAt(session, [0, loss])).toMatchObject({ kind: 'step', number: loss });
  expect(predictionAt(session, [1, 0])).toEqual({ kind: 'elsewhere' });
});
