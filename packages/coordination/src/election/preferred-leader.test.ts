import { exploreSystem } from '@conclave/check';
import { memoryNetwork } from '@conclave/core/embedding';
import { leadsTo } from '@conclave/core/protocol';
import { describe, expect, it } from 'vitest';
import { failing } from '../../../algorithms/src/contract/findings.contract.js';
import { inVirtualTime, pass } from '../virtual-time.contract.js';
import { election } from './election.js';
import { later } from './elections.contract.js';
import type { Election, Leader } from './shared-election.js';

const ids = ['a', 'b', 'c'] as const;

inVirtualTime();

function three() {
  const network = memoryNetwork(ids);
  const cut = new Set<string>();
  const start = (self: string): Election => {
    const transport = network.transport(self);
    const send: typeof transport.send = (to, message) => {
      if (!cut.has(self) && !cut.has(to)) transport.send(to, message);
    };
    const own = { self, peers: ids, transport: { ...transport, send } };
    return election({ by: 'lease', preferred: 'a', lease: 500, ...own });
  };
  return { cut, start };
}

const leads = (known: Leader | undefined): boolean => known?.leadership !== undefined;

describe('a preferred leader', () => {
  it('leads as soon as it is up, and again when it is back; others lead meanwhile', async () => {
    const { cut, start } = three();
    const [b, c] = [start('b'), start('c')];
    await Promise.race([later(b, leads), later(c, leads)]);
    const before = (b.leader?.leadership ?? c.leader?.leadership)?.fencingToken ?? Infinity;
    await pass(300);
    const a = start('a');
    const first = await later(a, leads);
    expect(first?.leadership?.fencingToken).toBeGreaterThan(before);
    expect([b.leader?.leadership, c.leader?.leadership]).toEqual([undefined, undefined]);
    await pass(2000);
    expect(a.leader?.term).toBe(first?.term); // nobody takes it away
    cut.add('a');
    await Promise.race([later(b, leads), later(c, leads)]);
    expect(a.leader?.leadership).toBeUndefined();
    cut.delete('a');
    await later(a, leads);
    await pass(100);
    expect([b.leader?.id, c.leader?.id]).toEqual(['a', 'a']);
    for (const each of [a, b, c]) await each.close();
  });

  it('is one of the nodes', () => {
    const transport = memoryNetwork(ids).transport('a');
    const own = { self: 'a', peers: ids, transport } as const;
    expect(() => election({ by: 'lease', preferred: 'd', ...own })).toThrow(
      "The preferred leader 'd' is none of the nodes a, b, c",
    );
  });
});

/** Over a lock that serves requests in order: its queue, and whether node 0, the preferred one, is up. */
type System = { readonly queue: readonly number[]; readonly isUp: boolean; readonly left: number };

it('in every run of a model it leads eventually while it is up', () => {
  const nodes = [0, 1, 2, 3];
  type Action = readonly ['ask' | 'give-way' | 'crash' | 'start', number];
  const system = {
    initial: { queue: [], isUp: true, left: 2 } as System,
    actions: ({ queue, isUp, left }: System): readonly Action[] => {
      const [leader = 0] = queue;
      return [
        ...nodes
          .filter((node) => !queue.includes(node) && (node > 0 || isUp))
          .map((node) => ['ask', node] as const),
        ...(leader > 0 && queue.includes(0) ? [['give-way', leader] as const] : []),
        ...(isUp && left > 0 ? [['crash', 0] as const] : []),
        ...(isUp ? [] : [['start', 0] as const]),
      ];
    },
    next: ({ queue, isUp, left }: System, [what, node]: Action): System => {
      const others = queue.filter((other) => other !== node);
      if (what === 'ask') return { queue: [...queue, node], isUp, left };
      if (what === 'give-way') return { queue: [...others, node], isUp, left };
      if (what === 'crash') return { queue: others, isUp: false, left: left - 1 };
      return { queue, isUp: true, left };
    },
    fair: ([what, node]: Action) => (what === 'crash' ? undefined : `${what} ${node}`),
  };
  const found = exploreSystem(system, {
    properties: [
      leadsTo<System>(
        'the preferred node leads while it is up',
        ({ isUp }) => isUp,
        ({ queue, isUp }) => queue[0] === 0 || !isUp,
      ),
    ],
  });
  expect([failing(found), found.complete, found.states]).toEqual([[], true, 227]);
});
