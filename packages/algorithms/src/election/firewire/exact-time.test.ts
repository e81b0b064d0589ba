/** How contention by chance ends in exact time. */
import { explore } from '@conclave/core/exploration';
import { almostSurely, atMost, type Protocol, type SystemView } from '@conclave/core/protocol';
import { chain } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { propertyNamed } from '../../contract/findings.js';
import { withMachine } from '../../contract/mutant.js';
import { decision } from '../election.js';
import { machine } from './firewire.js';
import { firewire } from './protocol.js';

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
