import { expect, it } from 'vitest';
import { Session } from '../../model/session.js';
import { systemOf } from '../../model/system.js';
import { act, keysShown } from './keys.js';
import { offeredBy, pointed } from './offered.js';

const open = async () =>
  new Session(await systemOf({ protocol: 'A3', options: {}, topology: 'complete:3', budget: {} }));
const words = ({ now }: Session) =>
  now.value.step?.lines.map(({ node, event }) => `${node} ${event.kind}`).join();

it('keys take, step back and forward, and go to both ends of the branch', async () => {
  const session = await open();
  expect(act(session, '2')).toBe(true);
  expect([session.now.value.depth, words(session)]).toEqual([1, 'b command']);
  act(session, 'Enter');
  act(session, 'Enter');
  expect(session.now.value.depth).toBe(3);
  for (const [key, depth] of [
    ['ArrowLeft', 2],
    ['Home', 0],
    ['ArrowRight', 1],
    ['End', 3],
    ['ArrowRight', 3],
  ] as const) {
    expect(act(session, key)).toBe(true);
    expect(session.now.value.depth, key).toBe(depth);
  }
});

it('arrows choose, around both ends; the next step chooses the first again', async () => {
  const session = await open();
  const { cursor, listed } = offeredBy(session);
  expect([cursor.value, listed.value.length]).toEqual([0, 3]);
  act(session, 'ArrowUp');
  expect([cursor.value, pointed.value]).toEqual([2, { kind: 'node', node: 'c' }]);
  act(session, 'ArrowDown');
  act(session, 'ArrowDown');
  expect(cursor.value).toBe(1);
  act(session, 'Enter');
  expect([words(session), cursor.value, pointed.value]).toEqual(['b command', 0, undefined]);
});

it('the list may have only what happens at the chosen node', async () => {
  const session = await open();
  const offered = offeredBy(session);
  offered.isOfNode.value = true;
  act(session, ']');
  expect([session.node.value, offered.listed.value.map(({ text }) => text)]).toEqual([
    'b',
    ['b acquires'],
  ]);
  act(session, '[');
  act(session, '[');
  expect(session.node.value).toBe('c');
  act(session, '1');
  expect(words(session)).toBe('c command');
  offered.isOfNode.value = false;
});

it('a number without an action and a key without a meaning do nothing', async () => {
  const session = await open();
  act(session, '9');
  expect([
    act(session, 'x'),
    act(session, 'Tab'),
    act(session, 'toString'),
    session.now.value.depth,
  ]).toEqual([false, false, false, 0]);
  act(session, '?');
  expect(keysShown.value).toBe(true);
  keysShown.value = false;
});
