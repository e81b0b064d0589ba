/** How often a node that waits may be passed where others give permission: proved on small systems, and where there is no bound, shown. */
import { explore } from '@conclave/core/exploration';
import { overtaken, type Protocol } from '@conclave/core/protocol';
import { complete, star, type Topology } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { centralCoordinator } from './central/central-coordinator/protocol.js';
import { intervalReservation } from './permission/interval-reservation/protocol.js';
import { lamport } from './permission/lamport/protocol.js';
import { maekawa } from './permission/maekawa/protocol.js';
import { ricartAgrawala } from './permission/ricart-agrawala/protocol.js';

/** The smallest number of times that holds. */
function most(protocol: Protocol, topology: Topology, budget: object): number {
  const bounds = [0, 1, 2, 3, 4, 5].map((times) => overtaken(times));
  const { complete: whole, properties } = explore(protocol, topology, { ...budget, properties: bounds });
  expect(whole).toBe(true);
  return properties.findIndex(({ verdict }) => verdict === 'holds');
}

describe('while a node waits', () => {
  it.each([
    ['lamport', lamport, 'fifo', [2, 3], [1, 2]],
    ['ricart-agrawala, any order', ricartAgrawala, 'any', [2, 3, 4, 5], [2, 3, 3, 3]],
    ['ricart-agrawala, nothing overtakes', ricartAgrawala, 'fifo', [2, 3, 4, 5], [2, 2, 2, 2]],
    ['interval-reservation, the same interval', intervalReservation(), 'any', [3, 4], [3, 3]],
    ['maekawa', maekawa(), 'fifo', [2, 3, 4, 5], [2, 2, 2, 2]],
  ] as const)('the other one of two enters so often at most: %s', (_name, protocol, order, commands, times) => {
    expect(commands.map((count) => most(protocol, complete(2), { commands: count, order }))).toEqual(times);
  });

  it('others enter as often as they like where its request is on its way: to a coordinator, or to a voter of a quorum', () => {
    expect([1, 2, 3, 4].map((commands) => most(centralCoordinator(), star(3), { commands }))).toEqual([1, 2, 3, 4]);
    const budget = { initiators: ['b', 'c'] };
    expect([2, 3, 4].map((commands) => most(maekawa(), complete(4), { ...budget, commands }))).toEqual([2, 3, 4]);
  });
});
