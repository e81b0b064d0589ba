import { readFileSync } from 'node:fs';
import { explore } from '@conclave/check';
import { send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { proof } from '@conclave/tools/sample';
import { describe, expect, it } from 'vitest';
import { failing } from '../../../contract/findings.contract.js';
import { withMachine, withoutSteps } from '../../../contract/machines.contract.js';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import {
  acquire,
  broadcastTokenContract,
  commonMutants,
  nodeB,
  release,
  request,
} from '../building-blocks/broadcast-token.contract.js';
import { broadcastTokenMachine } from '../building-blocks/broadcast-token.js';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import { noCounts, waitingAmong } from '../building-blocks/token.js';
import { suzukiKasami } from './protocol.js';
import { machine } from './suzuki-kasami.js';

const plain = suzukiKasami();

mutualExclusionContract({
  protocol: plain,
  topologies: [2, 3, 4, 5].map((n) => complete(n)),
  small: [
    { topology: complete(2), budget: { commands: 2 } },
    { topology: complete(3), budget: { commands: 1, initiators: ['b', 'c'] } },
  ],
  explored: [
    [complete(2), { commands: 1 }, 21],
    [complete(2), { commands: 3 }, 285],
    [complete(3), { commands: 1 }, 725],
    [complete(3), { commands: 2 }, 60_449],
    [complete(3), { commands: 2, order: 'fifo' }, 14_346],
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  mutants: {
    ...commonMutants(plain, machine),
    'a node in the queue is queued again': {
      refuted:
        "complete:3, 10 steps: Node c sends 'token' to c, to which it has no channel in 'complete:3'",
      protocol: withMachine(
        plain,
        broadcastTokenMachine(
          'queued twice',
          ({ peers, requested }, { served, queue: before = [] }) => {
            const [next, ...queue] = [...before, ...waitingAmong(peers, requested, served)];
            return next === undefined ? undefined : [next, { served, queue }];
          },
        ),
      ),
    },
  },
});

broadcastTokenContract({
  make: suzukiKasami,
  machine,
  queue: { queue: [] },
  states: 725,
  faulty: { losses: 2_252, duplications: 6_376, crashes: 7_035 },
  page: () => readFileSync(new URL('./README.md', import.meta.url), 'utf8'),
});

describe('suzuki-kasami rules', () => {
  const { first, after } = nodeB(machine);
  const none = noCounts(['a', 'b', 'c', 'd']);

  it('[SK1] each unserved node is in the queue once, newcomers last', () => {
    const atFirst = after(
      first({ served: none, queue: [] }),
      acquire,
      request('a', 1),
      request('d', 1),
      release,
    );
    expect(atFirst.effects).toEqual([
      send('d', { type: 'token', served: { ...none, b: 1 }, queue: ['a'] }),
    ]);
    const arriving = { type: 'token', served: none, queue: ['a'], from: 'd' } as const;
    const late = after(first(null), acquire, request('c', 1), request('a', 1), arriving, release);
    expect(late.effects).toEqual([
      send('a', { type: 'token', served: { ...none, b: 1 }, queue: ['c'] }),
    ]);
  });

  proof(
    'the queue only determines the order: without it each request is served too, in cyclic order',
    () => {
      const queueless = broadcastTokenMachine('queueless', ({ peers, requested }, { served }) => {
        const [next] = waitingAmong(peers, requested, served);
        return next === undefined ? undefined : [next, { served, queue: [] }];
      });
      const found = explore(withoutSteps(withMachine(plain, queueless)), complete(3), {
        commands: 2,
      });
      expect(found).toMatchObject({ complete: true, states: 41_533 }); // as many as A4 has
      expect(failing(found)).toEqual([]);
    },
  );
});

greedyContract({
  make: suzukiKasami,
  topology: complete,
  states: [
    [2, { commands: 2 }, 103],
    [3, { commands: 2 }, 76_563],
  ],
});
