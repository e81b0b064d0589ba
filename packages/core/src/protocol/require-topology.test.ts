import { describe, expect, it } from 'vitest';
import { complete, needs, ring, Topology } from '../topology/index.js';
import { requireTopology } from './check.js';
import { calls, centralLock } from './examples.contract.js';
import type { Protocol } from './protocol.js';

describe('requireTopology', () => {
  it('says what is missing, and names a suitable network', () => {
    expect(() => requireTopology(calls, ring(12))).toThrow(
      expect.objectContaining({
        code: 'bad-topology',
        message:
          "Tiny needs a complete network; in 'ring:12' a and c have no link between them. Try complete:8.",
      }),
    );
    expect(() => requireTopology(calls, ring(2, {}))).not.toThrow();
  });

  it('accepts a suitable network', () => {
    expect(() => requireTopology(calls, complete(4))).not.toThrow();
    expect(() => requireTopology(centralLock, needs.star.example(5))).not.toThrow();
  });

  it('refuses a network in which a node has no role', () => {
    const lost: Protocol = {
      ...centralLock,
      roleOf: (node) => (node === 'c' ? 'guest' : 'client'),
    };
    expect(() => requireTopology(lost, needs.star.example(3))).toThrow(
      expect.objectContaining({
        code: 'bad-protocol',
        message:
          "Protocol 'central-lock': roleOf(c) is 'guest', which is not one of its roles. It has keeper, client.",
      }),
    );
    expect(() =>
      requireTopology(lost, new Topology('pair', ['a', 'b'], needs.star.example(2).links)),
    ).not.toThrow();
  });
});
