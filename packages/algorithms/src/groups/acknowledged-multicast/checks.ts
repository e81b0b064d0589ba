import type { ExploreOptions, MutationSystem } from '@conclave/check';
import type { NodeView } from '@conclave/core/protocol';
import { complete } from '@conclave/core/topology';
import { type Mutants, type Run, runs, systemsOf, type Verified } from '../../checks/checks.js';
import { acknowledgedMulticast } from './protocol.js';

/** All multicasts carry the same data: far fewer states. */
const inputs = [{ type: 'multicast', data: 'x' }];
const a = { initiators: ['a'], inputs } as const;
const isSender = ({ id }: NodeView): boolean => id === 'a';

const systems = (): readonly MutationSystem[] => [
  { topology: complete(2), budget: { ...a, commands: 2, losses: 1, duplications: 1 } },
  {
    topology: complete(2),
    budget: { ...a, losses: 1, crashes: 1, restarts: 1, mayCrash: isSender },
  },
  { topology: complete(3), budget: { ...a, losses: 1, duplications: 1, crashes: 1 } },
  { topology: complete(3), budget: { initiators: ['a', 'b'], inputs } },
];

export const mutants: Mutants = {
  withoutOptions: { systems },
  'relay=silence': { systems },
};

/** With relays at first receipt, and at silence. */
const relayed = (options: object, n: number, budget: ExploreOptions) =>
  (['first', 'silence'] as const).map(
    (relay): Run => [
      acknowledgedMulticast({ ...options, relay }),
      complete(n),
      { inputs, ...budget },
    ],
  );

const twoSenders = { initiators: ['a', 'b'] };
const faults = { losses: 2, crashes: 1 };

export const verified: Verified = () =>
  systemsOf('C4 Acknowledged multicast of equal data', [
    runs('3 members', 'each member multicasts once, messages of 100 ms', relayed({}, 3, {})),
    runs(
      '3 members',
      'one or two messages of one sender, or one of each of two; 2 losses, a crash, messages of 100 ms',
      [
        ...relayed({}, 3, { ...a, ...faults }),
        ...relayed({}, 3, { ...a, ...faults, commands: 2 }),
        ...relayed({}, 3, { ...twoSenders, ...faults }),
      ],
    ),
    runs(
      '3 members',
      'a message, 2 losses, a crash, messages of 0 to 100 ms',
      relayed({}, 3, { ...a, ...faults, time: { kind: 'exact', delay: [0, 100], tick: 100 } }),
    ),
    runs(
      '3 members',
      'a message, untimed: a loss, a duplication and a crash; 2 losses and a crash',
      [
        ...relayed({ retransmissions: 1 }, 3, {
          ...a,
          time: 'untimed',
          losses: 1,
          duplications: 1,
          crashes: 1,
        }),
        ...relayed({ retransmissions: 2 }, 3, { ...a, time: 'untimed', ...faults }),
      ],
    ),
    runs(
      '4 members',
      'a message, 2 losses, a crash, messages of 100 ms',
      relayed({}, 4, { ...a, ...faults }),
    ),
    runs(
      '4 members',
      'a message of each of two senders, messages of 100 ms',
      relayed({}, 4, twoSenders),
    ),
    runs(
      '4 members, relays at silence',
      'a message of each of two senders, 2 losses, or a loss and a crash, messages of 100 ms',
      [{ losses: 2 }, { losses: 1, crashes: 1 }].map((faults) => [
        acknowledgedMulticast({ relay: 'silence' }),
        complete(4),
        { inputs, ...twoSenders, ...faults },
      ]),
    ),
    runs(
      '2 members',
      'two messages of each of two senders, a loss, untimed',
      relayed({ retransmissions: 1 }, 2, { time: 'untimed', commands: 2, losses: 1 }),
    ),
  ]);
