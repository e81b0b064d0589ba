/**
 * How often another node enters while a node waits: proved on small systems, and where there is no
 * bound, a growing number is shown.
 */
import { explore } from '@conclave/core/exploration';
import { overtaken, type Protocol } from '@conclave/core/protocol';
import { chain, complete, ring, star, type Topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { oneExample } from '../contract/searched.js';
import { centralCoordinator } from './central/central-coordinator/protocol.js';
import { intervalReservation } from './permission/interval-reservation/protocol.js';
import { lamport } from './permission/lamport/protocol.js';
import { maekawa } from './permission/maekawa/protocol.js';
import { ricartAgrawala } from './permission/ricart-agrawala/protocol.js';
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
function bound(protocol: Protocol, topology: Topology, budget: object): number {
  const bounds = [0, 1, 2, 3, 4, 5].map((times) => overtaken(times));
  const found = explore(protocol, topology, { ...budget, properties: bounds });
  expect(found.complete).toBe(true);
  const verdicts = found.properties.slice(0, bounds.length).map(({ verdict }) => verdict);
  const least = verdicts.indexOf('holds');
  expect(verdicts).toEqual(verdicts.map((_, times) => (times < least ? 'violated' : 'holds')));
  return least;
}

describe('while a node waits', () => {
  proof.each([
    ['A2', lamport, 'fifo', [2, 3], [1, 2]],
    ['A3, any order', ricartAgrawala, 'any', [2, 3, 4, 5], [2, 3, 3, 3]],
    ['A3, FIFO', ricartAgrawala, 'fifo', [2, 3, 4, 5], [2, 2, 2, 2]],
    ['A12', maekawa(), 'fifo', [2, 3, 4, 5], [2, 2, 2, 2]],
    ['A15, the same interval', intervalReservation(), 'any', [3, 4], [3, 3]],
  ] as const)(
    'the other one of two nodes enters a bounded number of times: %s',
    (_id, protocol, order, commands, times) => {
      expect(
        commands.map((count) =>
          bound(protocol, complete(2), { commands: count, order, inputs: oneExample(protocol) }),
        ),
      ).toEqual(times);
    },
  );

  it('each other node enters once where the token passes each node in turn: A11', () => {
    for (const [n, commands] of [
      [2, 4],
      [3, 3],
    ] as const)
      expect(bound(tokenRing(), ring(n), { commands })).toBe(1);
  });

  proof.each([
    ['A1', centralCoordinator(), star(3), {}, [2, 3, 4]],
    ['A4', ricartAgrawala83(), complete(2)],
    ['A4b', suzukiKasami(), complete(2)],
    ['A5', echoToken(), chain(2)],
    ['A6', treeToken(), chain(2)],
    ['A7', raymond(), chain(2)],
    ['A7 greedy', raymond({ greedy: 1 }), chain(2)],
    ['A8', naimiTrehel(), complete(2)],
    ['A9', acyclicGraph(), chain(2)],
    ['A10', huntedToken(), ring(2)],
    ['A12, four nodes', maekawa(), complete(4), { initiators: ['b', 'c'] }, [2, 3, 4]],
  ] as const)(
    'others enter without bound while its request is in transit: %s',
    (_id, protocol, topology, budget = {}, commands: readonly number[] = [2, 3]) => {
      expect(
        commands.map((count) => bound(protocol, topology, { ...budget, commands: count })),
      ).toEqual(commands);
    },
  );
});
