import { expect, it } from 'vitest';
import { Session } from '../model/session.js';
import { systemOf } from '../model/system.js';
import { follows, shownNode } from './chart.js';

it('follows the node that acts, until another one is chosen', async () => {
  const setup = { protocol: 'A3', options: {}, topology: 'complete:3', budget: {} };
  const session = new Session(await systemOf(setup));
  const shown = shownNode(session);
  const take = (type: string, node: string) =>
    session.take(
      session.run
        .actions(session.now.value)
        .findIndex(
          (action) => action.type === type && ('node' in action ? action.node : action) === node,
        ),
    );
  expect(shown.value).toBe('a');
  take('command', 'c');
  expect([shown.value, session.node.value]).toEqual(['c', 'a']);
  session.node.value = 'b';
  expect(shown.value).toBe('b');
  take('command', 'a');
  expect(shown.value).toBe('a');
  session.back();
  expect(shown.value).toBe('b'); // which was chosen there
  session.forward();
  follows.value = false;
  expect(shown.value).toBe('b');
  follows.value = true;
});
