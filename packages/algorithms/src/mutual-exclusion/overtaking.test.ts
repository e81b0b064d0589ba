import { explore } from '@conclave/core/exploration';
import { overtaken, type Protocol } from '@conclave/core/protocol';
import { chain, complete, ring, type Topology } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { acyclicGraph } from './token/acyclic-graph/protocol.js';
import { echoToken } from './token/echo-token/protocol.js';
import { huntedToken } from './token/hunted-token/protocol.js';
import { naimiTrehel } from './token/naimi-trehel/protocol.js';
import { raymond } from './token/raymond/protocol.js';
import { ricartAgrawala83 } from './token/ricart-agrawala-83/protocol.js';
import { suzukiKasami } from './token/suzuki-kasami/protocol.js';
import { tokenRing } from './token/token-ring/protocol.js';
import { treeToken } from './token/tree-token/protocol.js';

/** The smallest k such that, while a node waits, each other one enters at most k times. */
function bound(protocol: Protocol, topology: Topology, commands: number): number {
  for (let most = 0; ; most++) {
    const property = overtaken(most);
    const { properties } = explore(protocol, topology, { commands, properties: [property] });
    const { verdict } = properties.find(({ name }) => name === property.name) ?? {};
    if (verdict === 'holds') return most;
    expect(verdict).toBe('violated');
  }
}

describe('how often a node is overtaken', () => {
  it.each([
    ['A4', ricartAgrawala83(), complete(2)],
    ['A4b', suzukiKasami(), complete(2)],
    ['A5', echoToken(), chain(2)],
    ['A6', treeToken(), chain(2)],
    ['A7', raymond(), chain(2)],
    ['A7 greedy', raymond({ greedy: 1 }), chain(2)],
    ['A8', naimiTrehel(), complete(2)],
    ['A9', acyclicGraph(), chain(2)],
    ['A10', huntedToken(), ring(2)],
  ] as const)('has no bound while its request is on its way: as often as the other one wishes, %s', (_id, protocol, topology) => {
    expect([2, 3].map((commands) => bound(protocol, topology, commands))).toEqual([2, 3]);
  });

  it('is once where the token comes by in turn, however often the others wish', () => {
    for (const [n, commands] of [
      [2, 4],
      [3, 3],
    ] as const)
      expect(bound(tokenRing(), ring(n), commands)).toBe(1);
  });
});
