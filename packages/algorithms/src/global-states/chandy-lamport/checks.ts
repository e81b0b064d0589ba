import { simulate } from '@conclave/core/simulation';
import { chain, complete, ring, topology } from '@conclave/core/topology';
import { type Mutants, type Pictures, run, systemsOf, type Verified } from '../../checks/checks.js';
import { chandyLamport } from './protocol.js';

const path = topology('edges:a,b,c,a-b,b-c');

export const mutants: Mutants = {
  withoutOptions: {
    systems: () =>
      [chain(2), path, complete(3)].map((network) => ({ topology: network, budget: {} })),
  },
};

/** A run in which a coin is on its way when the snapshot is taken. */
export const pictures = (): Pictures => {
  const { trace } = simulate({
    protocol: chandyLamport(),
    topology: complete(3),
    workload: ({ later, tell }) => {
      later({ kind: 'fixed', ms: 1 }, () => tell('a', { type: 'transfer' }));
      later({ kind: 'fixed', ms: 3 }, () => tell('b', { type: 'transfer' }));
      later({ kind: 'fixed', ms: 4 }, () => tell('a', { type: 'snapshot' }));
      return () => {};
    },
    conditions: { order: 'fifo', delay: { kind: 'uniform', least: 4, most: 9 } },
    record: true,
  });
  return trace
    ? { payments: { title: 'Coins on their way while a snapshot is taken', trace } }
    : {};
};

export const verified: Verified = () =>
  systemsOf('E1 Chandy–Lamport', [
    run(
      '3 nodes',
      '3 coins, 2 payments of each node, FIFO',
      chandyLamport({ coins: 3 }),
      complete(3),
      {
        commands: 2,
      },
    ),
    run(
      'two-way ring of 4',
      '2 coins, a payment of each node, FIFO',
      chandyLamport(),
      ring(4, { oneWay: false }),
    ),
  ]);
