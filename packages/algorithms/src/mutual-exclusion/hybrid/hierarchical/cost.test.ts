import { explore } from '@conclave/core/exploration';
import { costOf, nodesAccepting } from '@conclave/core/internal/protocol';
import { atMost, type Protocol } from '@conclave/core/protocol';
import { closedLoop, simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { propertyNamed } from '../../../contract/findings.js';
import { centralCoordinator } from '../../central/central-coordinator/protocol.js';
import { ricartAgrawala } from '../../permission/ricart-agrawala/protocol.js';
import { raymond } from '../../token/raymond/protocol.js';
import { hierarchical } from './protocol.js';

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
