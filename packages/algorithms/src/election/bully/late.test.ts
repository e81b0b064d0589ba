/** Messages that take longer than the time-out allows, none of them lost: what heals. */
import { type ExploreOptions, explore } from '@conclave/core/exploration';
import { alwaysEventually, type Protocol } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { failing } from '../../contract/findings.js';
import { withMachine, withState } from '../../contract/mutant.js';
import { machine } from './bully.js';
import { bully } from './protocol.js';

const oneForAll = alwaysEventually(
  'while all nodes are up, and one has started, all eventually know one leader',
  ({ nodes }) => {
    const leaders = nodes.filter(({ tags }) => tags.has('leader'));
    return (
      nodes.some(({ crashed }) => crashed) ||
      nodes.every(({ value }) => value === 'asleep') ||
      (leaders.length === 1 && nodes.every(({ context }) => context.leader === leaders[0]?.id))
    );
  },
);
const judged: Protocol = { ...bully(), properties: [...bully().properties, oneForAll] };

const crash = { crashes: 1, restarts: 1 };
const late = (least: number, most: number, links = {}) =>
  ({ kind: 'exact', delay: [least, most], tick: 50, links }) as const;
/** An answer comes before an announcement that is older. */
const unequal: ExploreOptions = {
  ...crash,
  initiators: ['a'],
  time: late(50, 300, {
    ...{ 'a→b': [200, 200], 'a→c': [50, 50], 'b→a': [200, 200] },
    ...{ 'b→c': [100, 100], 'c→a': [250, 250], 'c→b': [100, 300] },
  }),
};

describe('bully with late messages', () => {
  it.each([
    [2, { time: late(100, 400) }, 855],
    [2, { ...crash, time: late(200, 200) }, 4_740],
    [3, { time: late(200, 200) }, 9_669],
    [3, { ...crash, initiators: ['a'], time: late(200, 200) }, 7_438],
    [3, unequal, 28_515],
  ] as const)(
    'two may lead, and eventually there is one, whom all know: %i nodes, %j',
    (n, budget, states) => {
      const found = explore(judged, complete(n), budget);
      expect([found.complete, found.states, ...failing(found)]).toEqual([
        true,
        states,
        'at most one node is the leader',
        'a live node larger than the leader holds an election',
      ]);
    },
  );

  it('[BU11] two lead for ever if a node that holds an election ignores an announcement of an earlier term', () => {
    const ignoring = ['electing', 'yielding'].reduce<AnyStateMachine>(
      (changed, state) =>
        withState(changed, [state], {
          on: {
            ...changed.config.states?.[state]?.on,
            coordinator: [{ guard: 'isEarlier' }, { target: 'follower', actions: 'follow' }],
          },
        }),
      machine,
    );
    const found = explore(withMachine(judged, ignoring), complete(3), unequal);
    expect([found.complete, failing(found).includes(oneForAll.name)]).toEqual([true, true]);
  });
});
