import { simulate } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { type Mutants, type Pictures, run, systemsOf, type Verified } from '../../checks/checks.js';
import { paxos } from './protocol.js';

const fault = { crashes: 1, restarts: 1 } as const;
const propose = (value: string) => ({ type: 'propose', value });
/** One value: fewer states. */
const x = [propose('x')];

export const mutants: Mutants = {
  withoutOptions: {
    systems: () => [
      { topology: complete(3), budget: {} },
      { topology: complete(3), budget: { ...fault, inputs: x } },
      { topology: complete(3), budget: { duplications: 1 } },
      { topology: complete(3), budget: { commands: 2, initiators: ['a'] } },
      { topology: complete(4), budget: {} },
    ],
  },
};

/** A ballot in which the value of an earlier one is adopted: two proposers, three acceptors. */
export const pictures = (): Pictures => {
  const { trace } = simulate({
    protocol: paxos(),
    topology: complete(5),
    workload: ({ later, tell }) => {
      later({ kind: 'fixed', ms: 1 }, () => tell('a', propose('x')));
      later({ kind: 'fixed', ms: 16 }, () => tell('b', propose('y')));
      return () => {};
    },
    conditions: { order: 'any', delay: { kind: 'uniform', least: 3, most: 8 } },
    record: true,
  });
  return trace ? { ballots: { title: 'A value of an earlier ballot is adopted', trace } } : {};
};

export const verified: Verified = () =>
  systemsOf('E6 Paxos', [
    run('2 proposers, 3 acceptors', 'a ballot of each', paxos(), complete(5)),
    run('2 proposers, 3 acceptors', 'a ballot of each, a loss', paxos(), complete(5), {
      losses: 1,
    }),
    run('2 proposers, 2 acceptors', '2 ballots of each', paxos(), complete(4), { commands: 2 }),
    run(
      '2 proposers, 2 acceptors',
      'a ballot of each, a crash and a restart, a loss, a duplication',
      paxos(),
      complete(4),
      { ...fault, losses: 1, duplications: 1 },
    ),
  ]);
