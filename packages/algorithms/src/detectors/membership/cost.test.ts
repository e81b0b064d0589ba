/** What a multicast and a change of the view cost in messages. */
import type { Command, NodeId } from '@conclave/core/protocol';
import { oneShot, simulate, totalMessages } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { membership } from './protocol.js';

const sizes = [2, 3, 4, 5, 8, 13, 20];
const command = (type: string) => ({ type, data: 'x' }) as Command; // of this protocol
const named = (n: number, index: number): NodeId => [...complete(n).nodes].sort().at(index) ?? '';

/**
 * The messages of a run on n nodes in which `node` gets one command. Crash notices are no messages
 * of the protocol.
 */
function total(
  n: number,
  type: string,
  node: NodeId,
  options: Parameters<typeof membership>[0] = {},
): number {
  const workload = oneShot(command(type), { nodes: [node], after: { kind: 'fixed', ms: 1 } });
  return totalMessages(
    simulate({ protocol: membership(options), topology: complete(n), workload }),
  );
}

/** The messages of a run on n nodes in which one crashes. */
function afterCrash(n: number, node: NodeId): number {
  const faults = [{ kind: 'crash', node, at: 1, inside: false }] as const;
  const workload = oneShot(command('multicast'), { nodes: [], after: { kind: 'fixed', ms: 1 } });
  const { messages } = simulate({
    protocol: membership(),
    topology: complete(n),
    workload,
    faults,
    until: { time: 1000 },
  });
  return Object.entries(messages).reduce(
    (sum, [kind, count]) => sum + (kind === 'down' ? 0 : Number(count)),
    0,
  );
}

describe('C5 membership cost', () => {
  proof.each(sizes)('a multicast among %i members', (n) => {
    expect(total(n, 'multicast', named(n, 0))).toBe(n - 1);
    expect(total(n, 'multicast', named(n, -1))).toBe(n);
    expect(total(n, 'multicast', named(n, -1), { order: 'fifo' })).toBe(n - 1);
    expect(total(n, 'multicast', named(n, -1), { window: 1 })).toBe(n + (n - 1));
  });

  proof.each(sizes)('a member of %i leaves', (n) => {
    expect(total(n, 'leave', named(n, 0))).toBe(3 * (n - 1));
    expect(total(n, 'leave', named(n, -1))).toBe(3 * (n - 1) + 1);
  });

  it.each(sizes)('a node joins, so that there are %i', (n) => {
    expect(total(n, 'join', named(n, -1), { founders: n - 1 })).toBe(n - 1 + 3 * (n - 1));
  });

  it.each(sizes.slice(1))('a member of %i crashes', (n) => {
    expect(afterCrash(n, named(n, -1))).toBe(3 * (n - 2));
    expect(afterCrash(n, named(n, 0))).toBe(3 * (n - 2));
  });
});
