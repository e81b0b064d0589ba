/** Every interleaving of small systems whose holder changes the voters as soon as it enters. */

import { walk } from '@conclave/core/exploration';
import {
  everyStep,
  type NodeId,
  type NodeView,
  type Protocol,
  sometimes,
} from '@conclave/core/protocol';
import { closedLoop } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import { everyInterleavingOfVariant } from '../../../contract/explored.contract.js';
import { conditionsFor, seedsTo, sweep } from '../../../contract/sweep.js';
import { waits } from '../../mutual-exclusion.js';
import { changingMachine } from './changing.js';
import { leasedMajority } from './protocol.js';
import { type Wishes, wishing } from './wishing.contract.js';

const changes = sometimes('the voters have changed', ({ nodes }) =>
  nodes.some(({ context }) => Object(context.configuration).number > 0),
);

const plain = (voters: readonly NodeId[]) =>
  leasedMajority({ lease: 5_000, renewal: 2_000, voters });

function protocolOf(
  voters: readonly NodeId[],
  wishes: Wishes,
  machine: AnyStateMachine = changingMachine,
): Protocol {
  const protocol = wishing(plain(voters), wishes, machine);
  return { ...protocol, properties: [...protocol.properties, changes] };
}

/** Messages of half a second, and stays that are long enough for a change. */
const time = { kind: 'exact', delay: [500, 500], stays: { critical: [2_000, 2_000] } } as const;
const inputs = [{ type: 'acquire' }];
const one = { initiators: ['a'], inputs, time } as const;
const two = { initiators: ['a', 'b'], inputs, time } as const;
const faults = { crashes: 1, restarts: 1 } as const;
/** Before, or after, it has told anyone. */
const hasDecided = ({ id, context }: NodeView): boolean =>
  id === 'a' && Object(context.configuration).number === 1 && Number(context.round) > 0;
const [ab, abc] = [
  ['a', 'b'],
  ['a', 'b', 'c'],
];

describe('leased-majority with voters', () => {
  describe('a removed', () =>
    everyInterleavingOfVariant(
      protocolOf(abc, { a: ['b', 'c'] }),
      [
        ['3 voters, the holder removes itself', complete(3), one, 226],
        ['the same, any node crashes and restarts', complete(3), { ...one, ...faults }, 8_498],
      ],
      {},
    ));
  describe('d added', () =>
    everyInterleavingOfVariant(
      protocolOf(abc, { a: ['a', 'b', 'c', 'd'] }),
      [
        ['3 voters, a fourth is added', complete(4), one, 1_558],
        ['the same, any node crashes and restarts', complete(4), { ...one, ...faults }, 126_210],
      ],
      {},
    ));
  describe('c replaced', () =>
    everyInterleavingOfVariant(
      protocolOf(abc, { a: ['a', 'b', 'd'] }),
      [
        ['3 voters, one is replaced', complete(4), one, 1_579],
        ['the same, any node crashes and restarts', complete(4), { ...one, ...faults }, 104_088],
      ],
      {},
    ));
  describe('b replaced', () =>
    everyInterleavingOfVariant(
      protocolOf(ab, { a: ['a', 'c'] }),
      [
        ['2 voters, one is replaced', complete(3), one, 741],
        ['the same, the replaced one enters, too', complete(3), two, 32_374],
      ],
      {
        'a voter takes requests of earlier configurations': {
          protocol: protocolOf(
            ab,
            { a: ['a', 'c'] },
            changingMachine.provide({ guards: { isOfEarlier: () => false } }),
          ),
          refuted: 'complete:3, 12 steps: a voter votes for a request, refuses it, or queues it',
        },
      },
    ));
  describe('two changes', () =>
    everyInterleavingOfVariant(
      protocolOf(abc, { a: ['b', 'c'], b: ['a', 'b'] }),
      [
        ['3 voters, one changes them', complete(3), one, 226],
        ['the same, two change them, at once or one after the other', complete(3), two, 41_425],
        [
          'the same, the one that has decided crashes',
          complete(3),
          { ...two, crashes: 1, mayCrash: hasDecided },
          118_111,
        ],
      ],
      {},
    ));

  proof('walks in which the only voter finishes the change of another node violate nothing', () => {
    const points = { kind: 'exact', delay: [0, 0], stays: { critical: [0, 0] } } as const;
    const protocol = plain(ab);
    const noneDecides = 'no node decides a change while it waits';
    const rule = everyStep(noneDecides, ({ before, after }) => {
      const [was, is] = [before, after].map(({ context }) => Object(context.change).phase);
      return !waits(before) || is !== 'decided' || was === 'decided';
    });
    const { properties } = walk(
      { ...protocol, properties: [...protocol.properties, rule] },
      complete(3),
      { commands: 2, ...faults, time: points, walks: 200, steps: 150, seed: 1 },
    );
    const violated = properties.filter(({ verdict }) => verdict === 'violated');
    expect(violated.map(({ name }) => name)).toEqual([noneDecides]);
  });

  proof(
    'walks with two changes violate nothing, where a node becomes a voter while it waits',
    () => {
      const to = (...voters: readonly NodeId[]) => ({ type: 'change', voters });
      const stays = { kind: 'exact', delay: [0, 0], stays: { critical: [0, 4_000] } } as const;
      const { properties } = walk(plain(ab), complete(3), {
        ...{ commands: 2, losses: 1, inputs: [...inputs, to('b'), to('a', 'c')], time: stays },
        ...{ walks: 150, steps: 150, seed: 1 },
      });
      expect(properties.filter(({ verdict }) => verdict === 'violated')).toEqual([]);
    },
  );

  proof('is safe and live in seeded runs, and handles every message', () => {
    const { runs, failure } = sweep({
      protocol: protocolOf(abc, { a: ['b', 'c', 'd'], b: ['a', 'd'], c: ['a', 'b', 'c', 'e'] }),
      topologies: [complete(5)],
      workload: () =>
        closedLoop({
          entries: 3,
          think: { kind: 'exponential', mean: 500 },
          hold: { kind: 'uniform', least: 0, most: 3_000 },
        }),
      seeds: seedsTo(2),
    });
    expect(failure).toBeUndefined();
    expect(runs).toBe(2 * conditionsFor(protocolOf(abc, {})).length);
  });
});
