import { explore } from '@conclave/check';
import { nodesAccepting, roleOf, start } from '@conclave/core/internal';
import { atMost, type Protocol, send } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import type { AnyEventObject } from 'xstate';
import { costOf } from '../../../contract/cost.contract.js';
import { propertyNamed } from '../../../contract/findings.contract.js';
import { takeAll } from '../../../contract/machines.contract.js';
import { centralCoordinator } from '../../central/central-coordinator/protocol.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import { ricartAgrawala } from '../../permission/ricart-agrawala/protocol.js';
import { raymond } from '../../token/raymond/protocol.js';
import {
  admitsTooEarly,
  givesBackOuterTooEarly,
  mutant,
  sameFence,
  sendsNoLeft,
} from './mutants.contract.js';
import { hierarchical } from './protocol.js';

const ring = hierarchical();
const parts = { within: centralCoordinator(), between: raymond() };
const central = hierarchical(parts);
const twice = hierarchical({ ...parts, turns: 2 });

mutualExclusionContract({
  protocol: ring,
  topologies: [complete(4)],
  entries: 1,
  small: [{ topology: complete(4), budget: { commands: 1, initiators: ['b'] } }],
  explored: [
    [complete(4), {}, 4_091],
    [complete(4), { order: 'fifo' }, 3_123],
    [complete(5), {}, 27_260],
  ],
  costs: [4, 5, 6, 9].map((n) => complete(n)),
  mutants: {
    'the representative admits before it has the outer lock': mutant(
      'complete:4, 8 steps: at most one node is in the critical section',
      ring,
      admitsTooEarly,
    ),
    'the representative gives back the outer lock when it admits a node': mutant(
      'complete:4, 12 steps: at most one node is in the critical section',
      ring,
      givesBackOuterTooEarly,
    ),
    'a node that leaves does not send left': mutant(
      'complete:4, 16 steps: no node waits in a quiescent state',
      ring,
      sendsNoLeft,
    ),
    'every entry has the same fencing token': mutant(
      'complete:4, 13 steps: each entry has a larger fencing token than every entry before it',
      ring,
      sameFence,
    ),
  },
});

mutualExclusionContract({
  protocol: central,
  topologies: [complete(4), complete(5)],
  entries: 1,
  small: [{ topology: complete(4), budget: { commands: 1 } }],
  explored: [
    [complete(4), { commands: 2 }, 816],
    [complete(6), {}, 5_778],
    [complete(6), { order: 'fifo' }, 4_534],
  ],
  costs: [4, 6, 8].map((n) => complete(n)),
});

describe('hierarchical rules', () => {
  /**
   * The state of node `id` of two clusters of 2 or 3 after these events, and the effects of the
   * last one.
   */
  const after = (
    protocol: Protocol,
    n: number,
    id: string,
    ...events: readonly AnyEventObject[]
  ) => {
    const topology = complete(n);
    const { machine, input } = roleOf(protocol, id, topology);
    const first = start(machine, id, input(id, topology)).state;
    const { state, effects } = takeAll(machine, id, first, events);
    // of parallel regions
    return { ...(state.value as object), fence: state.context.fence, effects };
  };
  const token = { type: 'within-token', entries: 0 } as const;
  const acquire = { type: 'acquire' };

  it('[HI1] a node requests the inner lock first', () => {
    const b = after(ring, 4, 'b', acquire);
    expect(b).toMatchObject({ client: { wanted: 'inCluster' }, within: 'wanted', effects: [] });
  });

  it('[HI2] a node that has the inner lock claims the outer one at the representative', () => {
    const b = after(ring, 4, 'b', acquire, { ...token, from: 'a' });
    expect(b).toMatchObject({
      client: { wanted: 'atRepresentative' },
      within: 'held',
      effects: [send('a', { type: 'claim' })],
    });
  });

  it('[HI2] [HI4] the representative claims for itself and admits itself without a message', () => {
    const asked = [acquire, { ...token, from: 'b' }];
    const request = send('c', { type: 'between-request', ts: 1 });
    expect(after(ring, 4, 'a', ...asked)).toMatchObject({
      client: { wanted: 'atRepresentative' },
      agent: 'asking',
      effects: [request],
    });
    expect(after(ring, 4, 'a', ...asked, { type: 'between-reply', from: 'c' })).toMatchObject({
      client: 'held',
      agent: 'open',
      effects: [],
    });
  });

  const claim = { type: 'claim', from: 'b' };
  const reply = { type: 'between-reply', from: 'c' };

  it('[HI3] a representative that receives a claim requests the outer lock', () => {
    const a = after(ring, 4, 'a', claim);
    expect(a).toMatchObject({ client: 'released', agent: 'asking', between: 'wanted' });
    expect(a.effects).toEqual([send('c', { type: 'between-request', ts: 1 })]);
  });

  it('[HI4] with the outer lock it admits the claimant, and sends it the fencing token', () => {
    const a = after(ring, 4, 'a', claim, reply);
    expect(a).toMatchObject({
      agent: 'open',
      between: 'held',
      effects: [send('b', { type: 'admitted', fence: 2 })],
    });
    const b = after(
      ring,
      4,
      'b',
      acquire,
      { ...token, from: 'a' },
      { type: 'admitted', fence: 2, from: 'a' },
    );
    expect(b).toMatchObject({ client: 'held', fence: 2, effects: [] });
  });

  it('[HI5] a node that leaves sends left to the representative and gives back the inner lock', () => {
    const admitted = { type: 'admitted', fence: 2, from: 'a' };
    const b = after(ring, 4, 'b', acquire, { ...token, from: 'a' }, admitted, { type: 'release' });
    expect(b).toMatchObject({ client: 'released', within: 'released', fence: 0 });
    expect(b.effects).toEqual([
      send('a', { type: 'left' }),
      send('a', { type: 'within-token', entries: 1 }),
    ]);
  });

  it('[HI6] the representative gives back the outer lock, and requests it again if a claim has overtaken `left`', () => {
    const asked = { type: 'between-request', ts: 5, from: 'c' };
    const left = { type: 'left', from: 'b' };
    const handOver = send('c', { type: 'between-reply' });
    expect(after(ring, 4, 'a', claim, reply, asked, left)).toMatchObject({
      agent: 'idle',
      between: 'released',
      effects: [handOver],
    });
    const again = after(ring, 4, 'a', claim, reply, asked, claim, left);
    expect(again).toMatchObject({ agent: 'asking', between: 'wanted' });
    expect(again.effects).toEqual([handOver, send('c', { type: 'between-request', ts: 7 })]);
  });

  it('[HI7] with several turns it keeps the outer lock for a member that has announced its request, at most so many times', () => {
    const requests = ['b', 'c', 'b'].map((from) => ({ type: 'request', from }));
    const first = [...requests, claim];
    const admitted = (to: string, fence: number) => send(to, { type: 'admitted', fence });
    expect(after(twice, 6, 'a', ...first).effects).toEqual([admitted('b', 2)]);
    const waiting = [...first, { type: 'left', from: 'b' }];
    expect(after(twice, 6, 'a', ...waiting)).toMatchObject({
      agent: 'inTurn',
      between: 'held',
      effects: [],
    });
    const second = [...waiting, { type: 'claim', from: 'c' }];
    expect(after(twice, 6, 'a', ...second).effects).toEqual([admitted('c', 3)]);
    expect(after(twice, 6, 'a', ...second, { type: 'left', from: 'c' })).toMatchObject({
      agent: 'idle',
      between: { released: 'here' },
    });
    const alone = [{ type: 'request', from: 'b' }, claim, { type: 'left', from: 'b' }];
    expect(after(twice, 6, 'a', ...alone)).toMatchObject({ agent: 'idle' });
  });
});

const own = ['claim', 'admitted', 'left'];
const outer = ['between-request', 'between-reply'];

function verdicts(...[protocol, topology, options]: Parameters<typeof explore>) {
  const found = explore(protocol, topology, options).properties;
  return options?.properties?.map(({ name }) => propertyNamed(found, name).verdict);
}

/** Messages per entry of all types with this prefix, where every node requests again at once. */
function perEntry(protocol: Protocol, n: number, prefix: string): number {
  const busy = closedLoop({
    entries: 20,
    think: { kind: 'fixed', ms: 0 },
    hold: { kind: 'fixed', ms: 50 },
  });
  const { messages, exclusion } = simulate({
    protocol,
    topology: complete(n),
    workload: busy,
    conditions: { delay: { kind: 'uniform', least: 1, most: 5 } },
  });
  const counted = Object.entries(messages).filter(([type]) => type.startsWith(prefix));
  return counted.reduce((sum, [, count]) => sum + count, 0) / exclusion.entries.length;
}

describe('hierarchical cost', () => {
  proof('is 3 messages in addition to those of the parts, in every interleaving', () => {
    const of = (type: string) => [type];
    const ring = hierarchical();
    const properties = [
      atMost(3, { per: 'acquire', of: own }),
      ...own.map((type) => atMost(1, { per: 'acquire', of: of(type) })),
    ];
    expect(verdicts(ring, complete(4), { properties })).toEqual([
      'holds',
      'holds',
      'holds',
      'holds',
    ]);
    expect(
      verdicts(ring, complete(4), { properties: [atMost(2, { per: 'acquire', of: own })] }),
    ).toEqual(['violated']);
  });

  it('is only that of the parts where representatives enter', () => {
    const properties = [atMost(0, { per: 'acquire', of: own })];
    expect(
      verdicts(hierarchical(), complete(4), { initiators: ['a', 'c'], commands: 2, properties }),
    ).toEqual(['holds']);
  });

  proof('is that of the outer algorithm on as many nodes as there are clusters', () => {
    const budget = { initiators: ['b', 'd', 'f'] };
    const three = hierarchical({ within: centralCoordinator(), clusters: 3 });
    const four = atMost(4, { per: 'acquire', of: outer });
    const less = atMost(3, { per: 'acquire', of: outer });
    expect(verdicts(three, complete(6), { ...budget, properties: [four, less] })).toEqual([
      'holds',
      'violated',
    ]);
    expect(ricartAgrawala.cost?.messages(3)).toEqual({ least: 4, most: 4 });
  });

  it('is at most the sum that the formula gives, in every interleaving', () => {
    const both = hierarchical({ within: centralCoordinator() });
    expect(both.cost?.formula).toBe('3 + 2(n−1) + 3');
    expect(both.cost?.messages(6)).toEqual({ least: 5, most: 8 });
    const property = costOf(both, 6);
    expect(property?.most).toBe(8);
    expect(verdicts(both, complete(6), { properties: property ? [property] : [] })).toEqual([
      'holds',
    ]);
  });

  proof(
    '[HI7] the entries of one holding share the cost of the outer algorithm, and each needs one more message',
    () => {
      const with_ = (turns: number) =>
        hierarchical({ within: centralCoordinator(), between: raymond(), turns });
      const shares = [1, 2, 4].map((turns) => perEntry(with_(turns), 12, 'between-'));
      expect(shares).toEqual([1.99, 0.99, 0.49]);
      expect([1, 2].map((turns) => perEntry(with_(turns), 12, 'request'))).toEqual([0, 1]);
    },
  );

  proof('[HI7] a cluster enters at most `turns` times in a row while others wait', () => {
    for (const turns of [1, 2, 3]) {
      const protocol = hierarchical({ within: centralCoordinator(), turns });
      const topology = complete(12);
      const busy = closedLoop({
        entries: 10,
        think: { kind: 'fixed', ms: 0 },
        hold: { kind: 'fixed', ms: 50 },
      });
      const { exclusion } = simulate({ protocol, topology, workload: busy });
      const half = exclusion.entries.slice(0, 60).map(({ node }) => (node < 'g' ? 1 : 2));
      const rows = half.join('').match(/1+|2+/g) ?? [];
      expect(Math.max(...rows.map(({ length }) => length))).toBe(turns);
      expect(nodesAccepting(protocol, topology, 'acquire')).toHaveLength(10);
    }
  });
});

describe('hierarchical fencing', () => {
  it('tokens follow from those of the outer lock and the turns of one holding', () => {
    for (const turns of [1, 3]) {
      const protocol = hierarchical({ within: centralCoordinator(), between: raymond(), turns });
      const numbers: number[] = [];
      const busy = closedLoop({ entries: 3, think: { kind: 'fixed', ms: 0 } });
      simulate({
        protocol,
        topology: complete(8),
        workload: (application) => {
          const react = busy(application);
          return (node) => {
            const fence = protocol.fence?.(node) ?? 0;
            if (node.tags.has('critical') && numbers.at(-1) !== fence) numbers.push(fence);
            react(node);
          };
        },
      });
      expect(numbers).toHaveLength(18);
      expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
      if (turns === 1) expect(numbers).toEqual(Array.from({ length: 18 }, (_, entry) => entry + 1));
      else expect(new Set(numbers.map((number) => number % turns)).size).toBe(turns);
    }
  });
});
