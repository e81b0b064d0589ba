/** Small systems of protocols with a symmetry, which holds in each. */
import { calls, cards, centralLock } from '../protocol/examples.contract.js';
import type { NodeId } from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import { complete, ring, star } from '../topology/generators.js';
import type { Topology } from '../topology/topology.js';
import { greetings, tennis } from './explored.contract.js';
import type { ExploreOptions } from './options.js';
import {
  allAlike,
  coinRing,
  guestBook,
  leavesAlike,
  postOffice,
  tokenRing,
  withSymmetry,
} from './symmetric.contract.js';

export const lock = withSymmetry(centralLock, leavesAlike);
export const alike = (protocol: Protocol) => withSymmetry(protocol, allAlike);

export const letters = (...ids: NodeId[]) => ids.map((to) => ({ type: 'post', to }));

const posting = (...ids: NodeId[]) => {
  const post = {
    kind: 'optional',
    fields: ['to'],
    examples: ids.map((to) => ({ to })),
    meaning: 'send a letter',
  } as const;
  return { ...postOffice, commands: { post } };
};

export const systems: readonly (readonly [string, Protocol, Topology, ExploreOptions])[] = [
  ['a lock with three clients', lock, star(4), {}],
  ['a lock that is used again', lock, star(3), { commands: 2 }],
  ['a lock whose messages overtake', lock, star(3), { commands: 2, order: 'any', duplications: 1 }],
  ['a lock on lossy channels', lock, star(4), { losses: 1 }],
  ['a lock whose nodes crash and come back', lock, star(3), { crashes: 1, restarts: 1 }],
  ['a lock whose network splits', lock, star(4), { partitions: 1 }],
  [
    'a lock with two clients that may request entry and one that may not',
    lock,
    star(4),
    { initiators: ['b', 'd'] },
  ],
  [
    'callers over channels with loss and duplication',
    alike(calls),
    complete(2),
    { losses: 1, duplications: 1 },
  ],
  [
    'callers that crash and come back',
    alike(calls),
    complete(2),
    { crashes: 2, restarts: 1, initiators: ['a'] },
  ],
  [
    'callers whose network splits',
    alike(calls),
    complete(2),
    { partitions: 1, duplications: 1, initiators: ['a'] },
  ],
  [
    'callers that know each other in an order',
    alike(calls),
    complete(3),
    { crashes: 1, initiators: ['a'], order: 'fifo' },
  ],
  ['card players', alike(cards), complete(2), { commands: 0, losses: 1 }],
  [
    'card players whose network splits',
    alike(cards),
    complete(2),
    { partitions: 1, initiators: ['a'], order: 'fifo' },
  ],
  ['a ball', alike(tennis), complete(2), { order: 'any' }],
  ['greetings', alike(greetings), complete(3), {}],
  ['a guest book', guestBook, star(4), { initiators: ['b', 'c', 'd'] }],
  [
    'a guest book that is used again',
    guestBook,
    star(3),
    { commands: 2, initiators: ['b', 'c'], order: 'any' },
  ],
  ['a post office', postOffice, star(3), { inputs: letters('b', 'c'), initiators: ['b', 'c'] }],
  [
    'a post office on lossy channels',
    postOffice,
    star(4),
    { inputs: letters('b', 'c', 'd'), initiators: ['b'], losses: 1 },
  ],
  [
    'a post office whose letters are examples',
    posting('b', 'c'),
    star(3),
    { commands: 2, initiators: ['b', 'c'] },
  ],
  ['a token on a ring', tokenRing, ring(4), {}],
  [
    'a token on a ring with loss and duplication',
    tokenRing,
    ring(3),
    { losses: 1, duplications: 1 },
  ],
  ['a token on a ring whose nodes crash', tokenRing, ring(3), { crashes: 1, partitions: 1 }],
  ['coins on a ring', coinRing, ring(4), {}],
  [
    'coins on a ring whose nodes crash and come back',
    coinRing,
    ring(3),
    { crashes: 1, restarts: 1 },
  ],
  ['coins on a ring that splits', coinRing, ring(3), { partitions: 1 }],
];
