import { expect, it } from 'vitest';
import { possible } from '../../model/possible.js';
import { Session } from '../../model/session.js';
import { systemOf } from '../../model/system.js';
import { grouped } from './groups.js';

it('groups have every action once, by kind and by node', async () => {
  const budget = { losses: 1, duplications: 1, crashes: 1, partitions: 1 };
  const session = new Session(await systemOf({ protocol: 'A3', options: {}, topology: 'complete:3', budget }));
  session.take(0);
  const actions = possible(session.run, session.now.value);
  const titles = (grouping: 'kind' | 'node') => {
    const groups = grouped(actions, grouping, session.system.topology.nodes);
    const numbers = groups.flatMap((group) => group.actions.map(({ number }) => number));
    expect(numbers.toSorted((one, other) => one - other)).toEqual(actions.map(({ number }) => number));
    return groups.map((group) => `${group.title} ${group.actions.length}`);
  };
  expect(titles('kind')).toEqual([
    'Commands 2',
    'Messages arrive 2',
    'Messages are lost 2',
    'Messages are duplicated 2',
    'Nodes crash and restart 3',
    'The network splits 3',
  ]);
  expect(titles('node')).toEqual(['At a 1', 'At b 5', 'At c 5', 'The network 3']);
});
