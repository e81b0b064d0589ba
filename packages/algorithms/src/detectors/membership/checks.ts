import type { Budget, MutationSystem } from '@conclave/check';
import type { NodeView } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { membership } from './protocol.js';

const crash = { crashes: 1, unsent: true } as const;
const multicast = { type: 'multicast', data: 'x' } as const;
const [join, leave] = [{ type: 'join' }, { type: 'leave' }] as const;

const only =
  (...ids: readonly string[]) =>
  ({ id }: NodeView) =>
    ids.includes(id);

const systems = (): readonly MutationSystem[] => {
  const ofA = { ...crash, mayCrash: only('a') };
  return [
    { topology: complete(2), budget: { ...crash, inputs: [multicast, leave], initiators: ['b'] } },
    { topology: complete(2), budget: { ...crash, restarts: 1, inputs: [multicast, join] } },
    { topology: complete(2), budget: { ...crash, restarts: 1, inputs: [leave, join] } },
    { topology: complete(3), budget: { inputs: [leave, join], initiators: ['a'] } },
    { topology: complete(3), budget: { ...crash, inputs: [multicast], initiators: ['c'] } },
    { topology: complete(3), budget: { ...ofA, inputs: [multicast, leave], initiators: ['a'] } },
    { topology: complete(3), budget: { ...ofA, inputs: [leave], initiators: ['b', 'c'] } },
    {
      topology: complete(3),
      budget: { ...ofA, restarts: 1, inputs: [leave, join], initiators: ['a'] },
    },
    {
      topology: complete(3),
      budget: {
        ...{ ...crash, crashes: 2, restarts: 1, mayCrash: only('a', 'b') },
        ...{ inputs: [join], initiators: ['a'] },
      },
    },
    {
      topology: complete(3),
      budget: { ...ofA, inputs: [leave, join], commands: 2, initiators: ['c'] },
    },
    { topology: complete(4), budget: { ...ofA, inputs: [leave], initiators: ['b', 'c'] } },
  ];
};

/** Each is a little larger than what can be explored for each mutant. */
const walks: Mutants[string]['walks'] = () => {
  const ofA = { ...crash, mayCrash: only('a') };
  const through = (n: number, budget: Budget, walks: number, steps = 60) => ({
    topology: complete(n),
    budget,
    walks,
    steps,
  });
  const ofTwo = { ...crash, crashes: 2, restarts: 1, mayCrash: only('a', 'b') };
  return [
    through(3, { ...ofTwo, inputs: [multicast, join], initiators: ['a'] }, 6000),
    through(3, { ...ofA, inputs: [multicast, leave], initiators: ['a', 'c'] }, 400, 50),
    through(4, { ...ofA, inputs: [leave, join], initiators: ['b', 'd'] }, 300),
    through(4, { ...ofA, inputs: [multicast, leave, join], initiators: ['a', 'c', 'd'] }, 300),
    through(3, { ...ofA, inputs: [leave, join], initiators: ['a', 'b'] }, 800),
    through(3, { ...ofA, restarts: 1, inputs: [leave, join], initiators: ['a', 'c'] }, 2500),
  ];
};

export const mutants: Mutants = {
  'founders=3 window=1 stateTransfer=true': {
    instead: true,
    systems,
    states: 8_000,
    walks,
  },
};

export const verified: Verified = () => {
  const two = membership({ founders: 2 });
  const joins = { ...crash, inputs: [join, multicast] };
  // without what is reached by messages
  const properties = two.properties.filter(({ kind }) => kind !== 'sometimes');
  return systemsOf('C5 Group membership', [
    run(
      '3 nodes',
      '2 members, one node joins, each multicasts, a crash that loses messages, FIFO',
      two,
      complete(3),
      joins,
    ),
    run(
      '3 nodes',
      "order 'fifo', 2 members, one node joins, each multicasts, a crash that loses messages, FIFO",
      membership({ order: 'fifo', founders: 2 }),
      complete(3),
      joins,
    ),
    run(
      '4 members',
      'one multicasts, two crashes that lose messages, FIFO',
      membership(),
      complete(4),
      { ...crash, crashes: 2, inputs: [multicast], initiators: ['c'] },
    ),
    run(
      '3 nodes',
      'one member, two nodes join, a crash that loses messages and a restart, FIFO',
      membership({ founders: 1 }),
      complete(3),
      { ...joins, restarts: 1, initiators: ['b', 'c'] },
    ),
    run(
      '3 nodes',
      '2 members, any node joins and leaves, a crash that loses messages, FIFO',
      two,
      complete(3),
      { ...crash, inputs: [join, leave], properties },
    ),
    run(
      '3 members',
      'with the detector, a crash, messages of 100 ms, FIFO',
      membership({ detector: true }),
      complete(3),
      { crashes: 1, inputs: [], time: { kind: 'exact', delay: [100, 100], tick: 50 }, properties },
    ),
  ]);
};
