/** Contention: where it may be, and how it ends. */
import { explore } from '@conclave/check';
import {
  almostSurely,
  always,
  atMost,
  type NodeId,
  type Protocol,
  type SystemView,
} from '@conclave/core/protocol';
import { chain } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { propertyNamed } from '../../contract/findings.js';
import { withMachine } from '../../contract/mutant.js';
import { labelledTrees } from '../../mutual-exclusion/token/building-blocks/connected-graphs.contract.js';
import { decision } from '../election.js';
import { machine } from './firewire.js';
import { firewire } from './protocol.js';

const isDecided = (system: SystemView) => system.count('decided') === system.live;
const [random, byId] = [firewire(), firewire({ tieBreak: 'id' })];

describe('contention of firewire, at any speed of messages and timers', () => {
  proof('may be at each edge: each two neighbours can ask each other', () => {
    for (const topology of labelledTrees(3))
      for (const { from, to } of topology.links) {
        const never = `${from} and ${to} never ask each other`;
        const asks = (system: SystemView, id: NodeId, other: NodeId) => {
          const { tags, context } = system.node(id);
          return (
            tags.has('asking') &&
            Array.isArray(context.children) &&
            !context.children.includes(other)
          );
        };
        const property = always(
          never,
          (system) => !(asks(system, from, to) && asks(system, to, from)),
        );
        expect(
          propertyNamed(explore(random, topology, { properties: [property] }).properties, never)
            .verdict,
        ).toBe('violated');
      }
  });

  proof(
    'ends in every fair run with tieBreak id, and need not end with random waits, whatever is drawn',
    () => {
      expect(
        propertyNamed(explore(byId, chain(2)).properties, 'every live node knows the one leader')
          .verdict,
      ).toBe('holds');
      const ends = almostSurely('the election ends', isDecided);
      const { states, properties } = explore(random, chain(2), { properties: [ends] });
      expect([states, propertyNamed(properties, ends.name).verdict]).toEqual([123, 'violated']);
    },
  );
});

// How contention by chance ends in exact time.

/** The least and the most delay of a message, in milliseconds. */
const delays = [
  [1, 1],
  [2, 2],
  [0, 1],
  [1, 2],
  [0, 2],
] as const;

const exactly = (delay: readonly [number, number]) =>
  ({ time: { kind: 'exact', delay, tick: 1 } }) as const;
const waits = (difference: number) => firewire({ pause: 1, short: 1, long: 1 + difference });
const ends = almostSurely(
  'the election ends',
  (system: SystemView) => system.count('decided') === system.live,
);
const endOf = ({ properties }: ReturnType<typeof explore>) =>
  propertyNamed(properties, ends.name).verdict;
/** The waits are drawn once, and a draws the short one. */
const different = (protocol: Protocol) =>
  withMachine(
    protocol,
    machine.provide({ guards: { isShort: ({ context }) => context.self === 'a' } }),
  );

describe.each(delays)('firewire in exact time, with delays from %i to %i ms', (least, most) => {
  const differences = Array.from({ length: 2 * most + 2 }, (_, index) => index + 1);
  const withTime = exactly([least, most]);

  proof(
    'ends by the first different draws if and only if the waits differ by more than two delays',
    () => {
      const second = atMost(3, { per: 'elect', of: ['be-my-parent'] });
      for (const difference of differences) {
        const { complete, properties } = explore(different(waits(difference)), chain(2), {
          ...withTime,
          initiators: ['a'],
          properties: [...decision, second],
        });
        expect(complete).toBe(true);
        const verdict = difference > 2 * most ? 'holds' : 'violated';
        for (const name of [second.name, 'every live node knows the one leader'])
          expect(`${difference} ${propertyNamed(properties, name).verdict}`).toBe(
            `${difference} ${verdict}`,
          );
      }
    },
  );

  proof(
    'ends with probability 1 if and only if the waits differ by more than the delays do',
    () => {
      for (const difference of differences)
        expect([
          difference,
          endOf(explore(waits(difference), chain(2), { ...withTime, properties: [ends] })),
        ]).toEqual([difference, difference > most - least ? 'holds' : 'violated']);
    },
  );
});

it('ends with probability 1 in any order of steps on a chain of three', () => {
  const explored = explore(waits(3), chain(3), { ...exactly([0, 1]), properties: [ends] });
  expect([explored.states, endOf(explored)]).toEqual([3612, 'holds']);
});
