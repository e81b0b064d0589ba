import { readFileSync } from 'node:fs';
import { send } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { describe, expect, it } from 'vitest';
import { mutualExclusionContract } from '../../mutual-exclusion.contract.js';
import {
  acquire,
  broadcastTokenContract,
  commonMutants,
  nodeB,
  release,
  request,
} from '../building-blocks/broadcast-token.contract.js';
import { greedyContract } from '../building-blocks/greedy.contract.js';
import { noCounts } from '../building-blocks/token.js';
import { ricartAgrawala83 } from './protocol.js';
import { machine } from './ricart-agrawala-83.js';

const plain = ricartAgrawala83();

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
    [complete(3), { commands: 1 }, 657],
    [complete(3), { commands: 2 }, 41_533],
    [complete(3), { commands: 2, order: 'fifo' }, 11_008],
  ],
  costs: [2, 3, 5, 9].map((n) => complete(n)),
  mutants: commonMutants(plain, machine),
});

broadcastTokenContract({
  make: ricartAgrawala83,
  machine,
  queue: {},
  states: 657,
  faulty: { losses: 2_064, duplications: 5_674, crashes: 6_505 },
  page: () => readFileSync(new URL('./README.md', import.meta.url), 'utf8'),
});

describe('ricart-agrawala-83 rules', () => {
  it('[RA83] the token goes to the first unserved node in cyclic order after the holder, in any order of requests', () => {
    const { first, after } = nodeB(machine);
    const { effects } = after(
      first({ served: noCounts(['a', 'b', 'c', 'd']) }),
      acquire,
      request('a', 1),
      request('d', 1),
      release,
    );
    expect(effects).toEqual([send('d', { type: 'token', served: { a: 0, b: 1, c: 0, d: 0 } })]);
  });
});

greedyContract({
  make: ricartAgrawala83,
  topology: complete,
  states: [
    [2, { commands: 2 }, 103],
    [3, { commands: 2 }, 50_433],
  ],
});
