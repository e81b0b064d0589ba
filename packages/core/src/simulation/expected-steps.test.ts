import { describe, expect, it } from 'vitest';
import { centralLock } from '../protocol/examples.contract.js';
import type { Protocol } from '../protocol/protocol.js';
import { ring, star } from '../topology/generators.js';
import { connected } from '../topology/needs.js';
import { defaultSteps, expectedSteps } from './until.js';

type Cost = NonNullable<Protocol['cost']>;

const withCost = (cost: Partial<Cost> & Pick<Cost, 'per' | 'messages'>): Protocol => ({
  ...centralLock,
  topology: { ...connected, refuses: () => undefined },
  cost: { formula: 'f', ...cost },
});
const exactly = (count: number) => () => ({ least: count, most: count });

describe('the steps that a run needs', () => {
  it('are starts, commands and messages: of each node, or of the whole run', () => {
    const entry = withCost({ per: 'entry', messages: exactly(3) });
    expect(expectedSteps(entry, star(4), 5)).toBe(4 + 2 * 4 * 5 + 4 * 5 * 3);
    const election = withCost({ per: 'election', messages: exactly(50) });
    expect(expectedSteps(election, ring(10))).toBe(10 + 20 + 50);
    const commanded = withCost({ per: 'election', command: 'acquire', messages: exactly(50) });
    expect(expectedSteps(commanded, ring(10))).toBe(10 + 20 + 500);
  });

  it('are those of the mean where there is one, and unknown without a bound', () => {
    const endless = { least: 1, most: Infinity };
    const entry = { per: 'entry', messages: () => endless } as const;
    expect(expectedSteps(withCost(entry), ring(10))).toBeUndefined();
    expect(expectedSteps(withCost({ ...entry, average: () => 2.5 }), ring(10))).toBe(30 + 25);
    expect(expectedSteps(withCost({ ...entry, per: 'period' }), ring(10))).toBeUndefined();
    const { cost: _, ...unknown } = centralLock;
    expect(expectedSteps(unknown, ring(10))).toBeUndefined();
  });

  it('are unknown on a network that the protocol does not take', () => {
    const entry = withCost({ per: 'entry', messages: exactly(3) });
    const { topology } = centralLock;
    expect(expectedSteps({ ...entry, topology }, ring(10))).toBeUndefined();
  });
});

describe('the default limit of steps', () => {
  it('is 10 million, grows with the network, and is larger than what a run needs', () => {
    const cheap = withCost({ per: 'election', messages: exactly(1) });
    expect(defaultSteps(cheap, ring(10))).toBe(10_000_000);
    expect(defaultSteps(cheap, ring(51_000))).toBe(100 * 102_000);
    const dear = withCost({ per: 'election', messages: exactly(1e9) });
    expect(defaultSteps(dear, ring(10))).toBe(4 * (1e9 + 30));
  });
});
