/** Each mutual-exclusion algorithm as a lock, chosen by its name. */
import { setImmediate as turn } from 'node:timers/promises';
import { catalogue, protocolOf } from '@conclave/algorithms';
import { heartbeat } from '@conclave/algorithms/heartbeat';
import { memoryNetwork } from '@conclave/core/embedding';
import { nodesAccepting, optionalCommands } from '@conclave/core/internal';
import { describe, expect, it } from 'vitest';
import { lock } from './lock.js';

const names = catalogue
  .filter(({ make }) => make().problem === 'mutual-exclusion')
  .map(({ name }) => name);

for (const name of names)
  describe(`a lock by ${name}`, () => {
    const protocol = protocolOf(name);

    it('admits one node at a time, each node as often as it requests, and each with a larger fencing token', async () => {
      const topology = protocol.topology.example(4);
      const network = memoryNetwork(topology, {
        order: protocol.channels.order,
        schedule: setImmediate,
      });
      const watching =
        protocol.crashNotice === undefined
          ? {}
          : { detector: heartbeat({ period: 1000, timeout: 60_000 }) };
      const { type: _acquire, ...claim } = optionalCommands(protocol)[0] ?? { type: 'acquire' };
      const nodes = topology.nodes.map((self) =>
        lock(protocol, { self, topology, transport: network.transport(self), claim, ...watching }),
      );
      const clients = nodes.filter(({ id }) =>
        nodesAccepting(protocol, topology, 'acquire').includes(id),
      );
      const tokens: (number | undefined)[] = [];
      let holders = 0;
      let most = 0;
      await Promise.all(
        clients.flatMap((each) =>
          Array.from({ length: 3 }, () =>
            each.run(async ({ fencingToken }) => {
              most = Math.max(most, ++holders);
              tokens.push(fencingToken);
              await turn();
              holders--;
            }),
          ),
        ),
      );
      for (const each of nodes) await each.close();
      expect({ most, entries: tokens.length }).toEqual({ most: 1, entries: 3 * clients.length });
      expect(clients.length).toBeGreaterThan(1);
      for (const [index, token] of tokens.entries())
        expect(token).toBeGreaterThan(tokens[index - 1] ?? Number.NEGATIVE_INFINITY);
    });
  });
