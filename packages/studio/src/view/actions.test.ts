import { expect, it } from 'vitest';
import { possible } from '../model/possible.js';
import { Session } from '../model/session.js';
import { systemOf } from '../model/system.js';
import { fold, grouped, isOfNode, offerOf, pointed } from './actions.js';
import { act, keysShown } from './keys.js';

const openA3 = async () =>
  new Session(await systemOf({ protocol: 'A3', options: {}, topology: 'complete:3', budget: {} }));
const words = ({ now }: Session) =>
  now.value.step?.lines.map(({ node, event }) => `${node} ${event.kind}`).join();

it('keys take, step back and forward, and go to both ends of the branch', async () => {
  const session = await openA3();
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
  const session = await openA3();
  const { cursor, listed } = offerOf(session);
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
  const session = await openA3();
  const offer = offerOf(session);
  isOfNode.value = true;
  act(session, ']');
  expect([session.node.value, offer.listed.value.map(({ text }) => text)]).toEqual([
    'b',
    ['b acquires'],
  ]);
  act(session, '[');
  act(session, '[');
  expect(session.node.value).toBe('c');
  act(session, '1');
  expect(words(session)).toBe('c command');
  isOfNode.value = false;
});

it('a number without an action and a key without a meaning do nothing', async () => {
  const session = await openA3();
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

it('groups have every action once, by kind and by node', async () => {
  const budget = { losses: 1, duplications: 1, crashes: 1, partitions: 1 };
  const session = new Session(
    await systemOf({ protocol: 'A3', options: {}, topology: 'complete:3', budget }),
  );
  session.take(0);
  const actions = possible(session.run, session.now.value);
  const titles = (grouping: 'kind' | 'node') => {
    const groups = grouped(actions, grouping, session.system.topology.nodes);
    const numbers = groups.flatMap((group) => group.actions.map(({ number }) => number));
    expect(numbers.toSorted((one, other) => one - other)).toEqual(
      actions.map(({ number }) => number),
    );
    return groups.map((group) => `${group.title} ${group.actions.length}`);
  };
  expect(titles('kind')).toEqual([
    'Commands 2',
    'Messages arrive 2',
    'Losses 2',
    'Duplications 2',
    'Nodes crash and restart 3',
    "Crash in the middle of 'b acquires' 3",
    "Crash in the middle of 'c acquires' 3",
    "Crash in the middle of 'b receives request(1) from a' 1",
    "Crash in the middle of 'c receives request(1) from a' 1",
    'The network splits 3',
  ]);
  expect(titles('node')).toEqual([
    'At a 1',
    'At b 5',
    "Crash in the middle of 'b acquires' 3",
    "Crash in the middle of 'b receives request(1) from a' 1",
    'At c 5',
    "Crash in the middle of 'c acquires' 3",
    "Crash in the middle of 'c receives request(1) from a' 1",
    'The network 3',
  ]);
});

it('the crashes in the middle of a step are listed only where their group is opened', async () => {
  const session = new Session(
    await systemOf({ protocol: 'A3', options: {}, topology: 'complete:3', budget: { crashes: 1 } }),
  );
  const offer = offerOf(session);
  const kinds = () => offer.listed.value.flatMap(({ kind, inside }) => inside?.step ?? kind);
  const usual = ['command', 'command', 'command', 'crash', 'crash', 'crash'];
  expect(kinds()).toEqual(usual);
  const title = "Crash in the middle of 'b acquires'";
  fold(offer, title);
  expect(kinds()).toEqual([...usual, 'b acquires', 'b acquires', 'b acquires']);
  fold(offer, title);
  expect(kinds()).toEqual(usual);
});
