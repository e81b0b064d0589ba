import type { ExploreOptions } from '@conclave/check';
import type { NodeView, Protocol } from '@conclave/core/protocol';
import { simulate, totalMessages, type Workload } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { type Mutants, run, systemsOf, type Verified } from '../../checks/checks.js';
import { acknowledgedMulticast } from '../acknowledged-multicast/protocol.js';
import type { Command } from '../multicast.js';
import { negativeMulticast } from './protocol.js';

// Acknowledgements beside negative ones, measured in simulation by loss and by size of the group.

const conditions = { order: 'fifo', delay: { kind: 'uniform', least: 10, most: 50 } } as const;
const losses = [0, 0.02, 0.05, 0.1, 0.2];
const sizes = [2, 3, 5, 8];
/** The size where the loss varies, and the loss where the size varies. */
const [usualSize, usualLoss] = [5, 0.05];
const multicasts = 25;

/** `gap`: milliseconds from one multicast of the one sender to the next. */
const series = [
  {
    name: 'acknowledged, relay first',
    protocol: acknowledgedMulticast(),
    gap: 50,
  },
  {
    name: 'acknowledged, relay on silence',
    protocol: acknowledgedMulticast({ relay: 'silence' }),
    gap: 50,
  },
  {
    name: 'negative, a multicast each 5 s',
    protocol: negativeMulticast(),
    gap: 5_000,
  },
  {
    name: 'negative, a multicast each 50 ms',
    protocol: negativeMulticast(),
    gap: 50,
  },
] as const;

interface Measured {
  /** Per multicast and receiver. */
  readonly messages: number;
  /** From a multicast until the last member delivers it, in milliseconds, on average. */
  readonly delivery: number;
}

const multicast = (data: number): Command => ({ type: 'multicast', data });

function measure(protocol: Protocol, gap: number, n: number, loss: number): Measured {
  const topology = complete(n);
  const [sender = ''] = topology.nodes;
  const workload: Workload = (application) => {
    for (let count = 0; count < multicasts; count++)
      application.later({ kind: 'fixed', ms: gap * count }, () =>
        application.tell(sender, multicast(count)),
      );
    return () => {};
  };
  const judged = { ...protocol, properties: [] };
  const result = simulate({
    protocol: judged,
    topology,
    conditions: { ...conditions, loss },
    workload,
    record: true,
  });
  const last = new Map<string, number>();
  for (const { time = 0, effects } of result.trace?.lines ?? [])
    for (const effect of effects) if (effect.kind === 'notify') last.set(effect.call, time);
  const sum = [...last.values()].reduce((total, time, index) => total + time - gap * index, 0);
  return { messages: totalMessages(result) / multicasts / (n - 1), delivery: sum / multicasts };
}

interface Panel {
  readonly label: string;
  readonly across: readonly string[];
  /** By series, from left to right. */
  readonly points: readonly (readonly Measured[])[];
}

/** Always the same: the seeds are. */
function measured(): readonly Panel[] {
  return [
    {
      label: `lost messages, ${usualSize} members`,
      across: losses.map((probability) => `${100 * probability} %`),
      points: series.map(({ protocol, gap }) =>
        losses.map((probability) => measure(protocol, gap, usualSize, probability)),
      ),
    },
    {
      label: `members, ${100 * usualLoss} % lost`,
      across: sizes.map(String),
      points: series.map(({ protocol, gap }) =>
        sizes.map((n) => measure(protocol, gap, n, usualLoss)),
      ),
    },
  ];
}

const table = ({ label, across, points }: Panel): readonly string[] => [
  `| ${label} | ${across.join(' | ')} |`,
  `|---|${across.map(() => '---|').join('')}`,
  ...series.map(({ name }, index) => {
    const cells =
      points[index]?.map(
        ({ messages, delivery }) => `${messages.toFixed(1)} / ${delivery.toFixed(0)} ms`,
      ) ?? [];
    return `| ${name} | ${cells.join(' | ')} |`;
  }),
  '',
];

/** As tables. */
const curve = (): string =>
  [
    'Messages per multicast and receiver / time until the last member has delivered:',
    '',
    ...measured().flatMap(table),
  ]
    .join('\n')
    .trimEnd();

/** Every message takes 100 ms: far fewer interleavings. */
const fixed = { time: { kind: 'exact', delay: [100, 100] } } as const;

/** All multicasts carry the same data. */
const inputs = [{ type: 'multicast', data: 'x' }];

const isFirst = ({ id }: NodeView): boolean => id === 'a';

const systems = () => [
  { topology: complete(2), budget: { inputs, initiators: ['a'], commands: 2, losses: 1 } },
  { topology: complete(3), budget: { inputs, initiators: ['a'], losses: 1 } },
  {
    topology: complete(3),
    budget: { inputs, initiators: ['a'], commands: 2, losses: 1, ...fixed },
  },
  { topology: complete(3), budget: { inputs, initiators: ['a'], losses: 2, crashes: 1, ...fixed } },
  {
    topology: complete(3),
    budget: { inputs, initiators: ['a', 'b'], crashes: 1, mayCrash: isFirst, ...fixed },
  },
];

export const mutants: Mutants = {
  withoutOptions: {
    systems,
  },
};

export const parts = { curve };

/** What it does without a loss is not the point. */
export const loss = 0.2;

const of = (n: number, what: string, budget: ExploreOptions) =>
  run(`${n} members`, what, negativeMulticast(), complete(n), { inputs, ...budget });

export const verified: Verified = () =>
  systemsOf('C4b Negative multicast of equal data', [
    of(2, 'two messages each, a loss', { commands: 2, losses: 1 }),
    of(3, 'one sends, 2 losses, a crash', { initiators: ['a'], losses: 2, crashes: 1 }),
    of(3, 'two send, a loss', { initiators: ['a', 'b'], losses: 1 }),
    of(3, 'one sends, a loss, a crash and a restart, messages of 100 ms', {
      initiators: ['a'],
      losses: 1,
      crashes: 1,
      restarts: 1,
      ...fixed,
    }),
    of(3, 'one sends two messages, 2 losses, a crash, messages of 100 ms', {
      initiators: ['a'],
      commands: 2,
      losses: 2,
      crashes: 1,
      ...fixed,
    }),
    of(3, 'two send, a loss, a crash, messages of 100 ms', {
      initiators: ['a', 'b'],
      losses: 1,
      crashes: 1,
      ...fixed,
    }),
    of(3, 'two send two messages each, messages of 100 ms', {
      initiators: ['a', 'b'],
      commands: 2,
      ...fixed,
    }),
    of(3, 'two send, 2 losses, a crash, messages of 100 ms', {
      initiators: ['a', 'b'],
      losses: 2,
      crashes: 1,
      ...fixed,
    }),
    of(4, 'one sends, 2 losses, a crash, messages of 100 ms', {
      initiators: ['a'],
      losses: 2,
      crashes: 1,
      ...fixed,
    }),
    of(4, 'two send, a crash, messages of 100 ms', {
      initiators: ['a', 'b'],
      crashes: 1,
      ...fixed,
    }),
    of(4, 'two send, a loss, messages of 100 ms', { initiators: ['a', 'b'], losses: 1, ...fixed }),
  ]);
