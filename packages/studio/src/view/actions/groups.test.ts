import { expect, it } from 'vitest';
import { possible } from '../../model/possible.js';
import { Session } from '../../model/session.js';
import { systemOf } from '../../model/system.js';
import { fold, grouped, offeredBy } from './offered.js';

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
    'Messages are lost 2',
    'Messages are duplicated 2',
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
  const offered = offeredBy(session);
  const kinds = () => offered.listed.value.flatMap(({ kind, inside }) => inside?.step ?? kind);
  const usual = ['command', 'command', 'command', 'crash', 'crash', 'crash'];
  expect(kinds()).toEqual(usual);
  const title = "Crash in the middle of 'b acquires'";
  fold(offered, title);
  expect(kinds()).toEqual([...usual, 'b acquires', 'b acquires', 'b acquires']);
  fold(offered, title);
  expect(kinds()).toEqual(usual);
});
