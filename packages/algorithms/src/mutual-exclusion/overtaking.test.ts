/**
 * How often another node enters while a node waits: proved on small systems, and where there is no
 * bound, a growing number is shown.
 */
import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { overtaken, type Protocol } from '@conclave/core/protocol';
import { chain, complete, ring, star, type Topology } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { assertEvent, assign } from 'xstate';
import { oneExample } from '../contract/findings.contract.js';
import { withMachine } from '../contract/machines.contract.js';
import { centralCoordinator } from './central/central-coordinator/protocol.js';
import { entry, exclusion, fencing, outcomeOf, withoutTimers } from './outcome.contract.js';
import { isOlder, type Request } from './permission/building-blocks/permissions.js';
import { intervalReservation } from './permission/interval-reservation/protocol.js';
import { machine as lamportMachine } from './permission/lamport/lamport.js';
import { lamport } from './permission/lamport/protocol.js';
import { maekawa } from './permission/maekawa/protocol.js';
import { ricartAgrawala } from './permission/ricart-agrawala/protocol.js';
import { machine as ricartAgrawalaMachine } from './permission/ricart-agrawala/ricart-agrawala.js';
import { acyclicGraph } from './token/acyclic-graph/protocol.js';
import { echoToken } from './token/echo-token/protocol.js';
import { huntedToken } from './token/hunted-token/protocol.js';
import { naimiTrehel } from './token/naimi-trehel/protocol.js';
import { raymond } from './token/raymond/protocol.js';
import { ricartAgrawala83 } from './token/ricart-agrawala-83/protocol.js';
import { suzukiKasami } from './token/suzuki-kasami/protocol.js';
import { tokenRing } from './token/token-ring/protocol.js';
import { treeToken } from './token/tree-token/protocol.js';

/** The smallest k such that, while a node waits, each other node enters at most k times. */
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

// Why A2 and A3 have no option `priority`: what becomes of them where node a goes first.

const isFirst = (one: Request, other: Request): boolean =>
  one.id === 'a' || (other.id !== 'a' && isOlder(one, other));
const byPriority = (queue: readonly Request[]) =>
  queue.toSorted((one, other) => (isFirst(one, other) ? -1 : 1));

const lamportByPriority = withMachine(
  lamport,
  lamportMachine.provide({
    actions: {
      stamp: assign(({ context: { clock, queue, self, peers } }) => ({
        clock: clock + 1,
        queue: byPriority([...queue, { ts: clock + 1, id: self }]),
        awaiting: peers,
      })),
      enqueue: assign(({ context: { queue }, event }) => {
        assertEvent(event, 'request');
        return { queue: byPriority([...queue, { ts: event.ts, id: event.from }]) };
      }),
    },
  }),
);

const ricartAgrawalaByPriority = withMachine(
  ricartAgrawala,
  ricartAgrawalaMachine.provide({
    guards: {
      oursIsOlder: ({ context: { requestedAt: ts, self: id }, event }) => {
        assertEvent(event, 'request');
        return isFirst({ ts, id }, { ts: event.ts, id: event.from });
      },
    },
  }),
);

/** All but a take a time stamp that is later by this. */
const later = 3;
const byStamp = withMachine(
  ricartAgrawala,
  ricartAgrawalaMachine.provide({
    actions: {
      stamp: assign(({ context: { clock, self, peers } }) => {
        const ts = clock + 1 + (self === 'a' ? 0 : later);
        return { clock: ts, requestedAt: ts, awaiting: peers };
      }),
    },
  }),
);

it.each([
  ['ricart-agrawala', ricartAgrawalaByPriority],
  ['lamport', lamportByPriority],
] as const)('priority before time stamps breaks exclusion of %s', (name, protocol) => {
  const { verdicts, traces } = outcomeOf(protocol, complete(2));
  expect(verdicts).toMatchObject({ [exclusion]: 'violated in 6' });
  const page = readFileSync(new URL(`./permission/${name}/README.md`, import.meta.url), 'utf8');
  const lines = withoutTimers(traces[exclusion]);
  expect(withoutTimers(page)).toEqual(expect.arrayContaining([...lines]));
});

it('priority in time stamps is safe, and serves by time stamp', () => {
  const { verdicts } = outcomeOf(byStamp, complete(2), { commands: 2 });
  const holds = { [exclusion]: 'holds', [entry]: 'holds', [fencing]: 'holds' };
  expect(verdicts).toMatchObject(holds);
});
