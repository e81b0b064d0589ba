/** The option `keep`: a node that has left keeps its votes, and enters again without a message. */
import { explore } from '@conclave/check';
import { closedLoop, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assign } from 'xstate';
import { everyInterleavingOfVariant } from '../../../contract/explored.contract.js';
import { propertyNamed } from '../../../contract/findings.js';
import { mutantOf } from '../../../contract/mutant.js';
import { conditionsFor, seedsTo, sweep } from '../../../contract/sweep.js';
import { keepingMachine } from './keeping.js';
import { withoutClocks } from './properties.js';
import { leasedMajority } from './protocol.js';
import { shortBlocks } from './reduced.contract.js';

const protocol = shortBlocks(leasedMajority({ lease: 5_000, renewal: 2_000, keep: 3_000 }));
const time = { kind: 'exact', delay: [1_000, 1_000], stays: { critical: [0, 1_000] } } as const;
const long = { ...time, stays: { critical: [0, 8_000] } } as const;
const instant = { ...time, delay: [0, 0] } as const;
const mutant = mutantOf(protocol);

describe('leased-majority with keep', () => {
  everyInterleavingOfVariant(
    protocol,
    [
      ['2 nodes, one enters twice', complete(2), { initiators: ['a'], commands: 2, time }, 951],
      [
        '2 nodes, one enters three times',
        complete(2),
        { initiators: ['a'], commands: 3, time },
        3_070,
      ],
      [
        '2 nodes, one enters twice, 3 losses',
        complete(2),
        { initiators: ['a'], commands: 2, losses: 3, time: long },
        34_328,
      ],
      [
        '2 nodes, two entries each, messages that take no time, no command yield',
        complete(2),
        { commands: 2, inputs: [{ type: 'acquire' }], time: instant },
        32_595,
      ],
      ['2 nodes, an entry each', complete(2), {}, 73_925],
      [
        '3 nodes, one of them enters twice, any other crashes and restarts',
        complete(3),
        { initiators: ['b'], commands: 2, crashes: 1, restarts: 1, time },
        223_746,
      ],
      [
        '3 nodes, one of them enters, any other crashes and restarts',
        complete(3),
        { initiators: ['b'], crashes: 1, restarts: 1 },
        113_556,
      ],
      [
        '3 nodes, two of which enter, messages of 1 s',
        complete(3),
        { initiators: ['a', 'b'], time },
        1_201_482,
      ],
    ],
    {
      'a node enters under a lease that is over': mutant(
        'complete:2, 7 steps: a majority is bound to the ballot of a node in the critical section',
        keepingMachine.provide({ guards: { isUnproved: () => false } }),
      ),
      'a node keeps its votes although another waits': mutant(
        'complete:2, 6 steps: no node keeps its votes while the request of another node waits at it',
        keepingMachine.provide({ guards: { othersWait: () => false } }),
      ),
      'a node enters again with the same token': mutant(
        'complete:2, 5 steps: each entry has a larger fencing token than every entry before it',
        keepingMachine.provide({ actions: { countEntry: assign({}) } }),
      ),
      'a node uses the tokens of the next ballot': mutant(
        'complete:2, 7 steps: a node that keeps its votes enters again at once, without a message, with the next token of its block',
        keepingMachine.provide({ guards: { blockIsUsed: () => false } }),
      ),
    },
  );

  it('is safe and live in seeded runs, and handles every message', () => {
    const { runs, failure } = sweep({
      protocol,
      topologies: [2, 3, 4].map((n) => complete(n)),
      workload: () =>
        closedLoop({
          entries: 3,
          think: { kind: 'exponential', mean: 500 },
          hold: { kind: 'uniform', least: 0, most: 500 },
        }),
      seeds: seedsTo(2),
    });
    expect(failure).toBeUndefined();
    expect(runs).toBe(2 * 3 * conditionsFor(protocol).length);
  });

  it('costs 2(n−1) messages for the first entry and none for the next; then the votes go back', () => {
    for (const n of [3, 5, 9]) {
      const result = simulate({
        protocol: leasedMajority({ keep: 1_500 }),
        topology: complete(n),
        workload: closedLoop({ entries: 5, nodes: ['a'], think: { kind: 'fixed', ms: 100 } }),
        conditions: { order: 'any', delay: { kind: 'fixed', ms: 5 } },
      });
      expect(totalMessages(result)).toBe(3 * (n - 1));
      expect(
        result.exclusion.entries.map(({ requestedAt, enteredAt }) => enteredAt - requestedAt),
      ).toEqual([10, 0, 0, 0, 0]);
    }
  });

  it('lets a node that asks in after a round trip and a message: it waits for no time to pass', () => {
    const result = simulate({
      protocol: leasedMajority({ keep: 60_000 }),
      topology: complete(3),
      workload: closedLoop({ entries: 20, think: { kind: 'fixed', ms: 100 } }),
      conditions: { order: 'any', delay: { kind: 'fixed', ms: 5 } },
    });
    const waits = result.exclusion.entries.map(
      ({ requestedAt, enteredAt }) => enteredAt - requestedAt,
    );
    expect(Math.max(...waits)).toBeLessThanOrEqual(60);
    expect(waits).toHaveLength(60);
  });

  proof('drift up to its bound: no vote ends while a node keeps it', () => {
    const drifting = shortBlocks(
      leasedMajority({ lease: 4_000, drift: 0.2, renewal: 1_000, keep: 1_500 }),
    );
    const names = [
      'at most one node is in the critical section',
      'a majority is bound to the ballot of a node in the critical section',
      'each entry has a larger fencing token than every entry before it',
    ];
    const found = explore(drifting, complete(3), {
      initiators: ['a'],
      commands: 2,
      losses: 1,
      time: { kind: 'exact', delay: [0, 0], stays: { critical: [0, 6_000] }, drift: 0.2 },
      properties: drifting.properties.filter(({ name }) => names.includes(name)),
    });
    expect([found.complete, found.states]).toEqual([true, 722_743]);
    for (const name of names) expect(propertyNamed(found.properties, name).verdict).toBe('holds');
  });

  proof(
    'needs no timers for what tokens rest on: a majority has recorded each ballot that has entered',
    () => {
      const recorded = explore(protocol, complete(3), {
        commands: 2,
        time: 'untimed',
        initiators: ['a', 'b'],
        crashes: 1,
        restarts: 1,
        properties: withoutClocks,
        limits: { states: 60_000 },
      });
      expect(recorded.properties.map(({ verdict }) => verdict)).not.toContain('violated');
    },
  );
});
