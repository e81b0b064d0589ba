/** What breaks without the assumptions: the shortest traces, as on the page. */
import { readFileSync } from 'node:fs';
import { type ExploreOptions, explore } from '@conclave/check';
import { always, type NodeView, type Protocol } from '@conclave/core/protocol';
import { complete, type Topology } from '@conclave/core/topology';
import { linesText, replay } from '@conclave/core/trace';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { failing, propertyNamed } from '../../contract/findings.js';
import type { MembershipHistory } from './history.js';
import { totalOrder } from './properties.js';
import { membership } from './protocol.js';

const page = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
const sameMembers = 'views with the same number have the same members';
const quiescent = 'no node waits in a quiescent state';
const multicast = [{ type: 'multicast', data: 'x' }] as const;

/**
 * The shortest trace to a violation as on the page: without starts, timers, and the heartbeats of a
 * detector.
 */
function shortest(
  protocol: Protocol,
  topology: Topology,
  name: string,
  options: ExploreOptions,
): readonly string[] {
  const { trace } = propertyNamed(
    explore(protocol, topology, { ...options, all: false }).properties,
    name,
  );
  expect(trace && replay(protocol, topology, trace)).toEqual({ steps: trace?.lines.length });
  return linesText((trace?.lines ?? []).filter(({ event }) => event.kind !== 'start'))
    .trimEnd()
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/group\.(\w+) & detector\.\(sender\.beating & monitor\)/g, '$1')
        .replaceAll(/(start|cancel) patience[^,]*, /g, '')
        .replaceAll(/\.000ms/g, '')
        .replaceAll(/ {2,}/g, '  ')
        .trim(),
    );
}

/** The members of a view as any node has installed it, also one that has crashed since. */
const uniformViews = always(
  'all nodes, also those that crash, install the same members for each number',
  ({ nodes }) => {
    const members = new Map<number, string>();
    return nodes.every(({ history }) => {
      const { stays } = history as MembershipHistory; // of this protocol
      return stays.every(({ views }) =>
        views.every((view) => {
          const known = members.get(view.number) ?? view.members.join();
          members.set(view.number, known);
          return known === view.members.join();
        }),
      );
    });
  },
);

describe('C5 membership assumptions', () => {
  it('in any order, two messages of the sequencer overtake each other', () => {
    const trace = shortest(membership(), complete(2), totalOrder.name, {
      order: 'any',
      commands: 2,
      inputs: multicast,
      initiators: ['a'],
    });
    expect(page).toContain(trace.join('\n'));
  });

  it('a lost message blocks a flush', () => {
    const { crashNotice: _, ...unreported } = membership();
    const trace = shortest(unreported, complete(2), quiescent, {
      losses: 1,
      inputs: [{ type: 'leave' }],
      initiators: ['b'],
    });
    expect(page).toContain(trace.join('\n'));
  });

  it('a false suspicion makes two groups', () => {
    const trace = shortest(membership({ detector: true, silence: 100 }), complete(2), sameMembers, {
      inputs: [],
    });
    expect(page).toContain(trace.join('\n'));
  });

  proof(
    'views are not uniform: a member that crashes in the middle of a step may have installed another one',
    () => {
      const options = { crashes: 2, inputs: [], properties: [uniformViews] } as const;
      const trace = shortest(membership(), complete(3), uniformViews.name, options);
      expect(page).toContain(`(${trace.length} steps). Live members never differ`);
      expect(page).toContain(trace.join('\n'));
      for (const n of [3, 4])
        expect(
          failing(explore(membership(), complete(n), { ...options, atomicSteps: true })),
        ).toEqual([]);
    },
  );

  proof('a coordinator that has restarted is outside, and ignores the answers to its flush', () => {
    const { properties } = membership();
    const found = explore(membership(), complete(3), {
      ...{
        crashes: 1,
        restarts: 1,
        inputs: [{ type: 'leave' }],
        initiators: ['b'],
        mayCrash: ({ id }: NodeView) => id === 'a',
      },
      properties: properties.filter(({ kind }) => kind !== 'sometimes'), // of messages
    });
    expect([found.complete, found.states, ...failing(found)]).toEqual([true, 512]);
  });

  it('the detector finds a crash: 2 members, messages of 100 ms', () => {
    const time = { kind: 'exact', delay: [100, 100], tick: 50 } as const;
    const found = explore(membership({ detector: true }), complete(2), {
      crashes: 1,
      inputs: multicast,
      initiators: ['b'],
      time,
    });
    expect([found.complete, found.states, ...failing(found)]).toEqual([true, 5095]);
  });
});
