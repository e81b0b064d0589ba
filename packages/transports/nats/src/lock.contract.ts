/** For transports with a server: a lock goes on through its outages. */

import { ricartAgrawala } from '@conclave/algorithms/ricart-agrawala';
import { lock } from '@conclave/coordination/lock';
import { reliable, type Transport } from '@conclave/core/embedding';
import type { ConclaveError } from '@conclave/core/protocol';
import { proof } from '@conclave/tools/sample';
import { filter, firstValueFrom } from 'rxjs';
import { expect } from 'vitest';
import type { TestServer } from '../../../core/src/embedding/testing/servers.js';

const nodes = ['a', 'b', 'c'];
const entriesEach = 30;
/** The server is killed inside these entries of all, and comes back after them. */
const outages = [20, 45, 70];

/** @param open the transport of a node, not yet reliable */
export function lockThroughOutages(
  server: () => Pick<TestServer, 'kill' | 'start'>,
  open: (self: string, peers: readonly string[]) => Promise<Transport>,
): void {
  proof(
    `a lock under reliable() keeps exclusion through ${outages.length} outages of its server, and each node that waits enters`,
    async () => {
      const raw = await Promise.all(
        nodes.map((self) =>
          open(
            self,
            nodes.filter((id) => id !== self),
          ),
        ),
      );
      const errors: ConclaveError[] = [];
      const locks = raw.map((transport) =>
        lock(ricartAgrawala, {
          self: transport.self,
          peers: nodes.filter((id) => id !== transport.self),
          transport: reliable(transport, { mostTimeout: 200 }),
          onError: (error) => errors.push(error),
        }),
      );
      let inside = 0;
      const entries: string[] = [];
      const critical = async (node: string) => {
        expect(++inside).toBe(1);
        entries.push(node);
        await new Promise((resolve) => setImmediate(resolve));
        if (outages.includes(entries.length)) {
          const all = Promise.all(
            raw.map(
              ({ status$ }) =>
                status$ && firstValueFrom(status$.pipe(filter(({ state }) => state === 'down'))),
            ),
          );
          await server().kill();
          await all;
          // after the release, which is sent while it is down
          setImmediate(() => void server().start());
        }
        inside--;
      };
      try {
        await Promise.all(
          locks.map(async (mine) => {
            for (let entry = 0; entry < entriesEach; entry++)
              await mine.run(() => critical(mine.id));
          }),
        );
        expect(nodes.map((node) => entries.filter((id) => id === node).length)).toEqual(
          nodes.map(() => entriesEach),
        );
        expect(errors).toEqual([]);
      } finally {
        await server().start();
        await Promise.all(locks.map((one) => one.close()));
      }
    },
  );
}
