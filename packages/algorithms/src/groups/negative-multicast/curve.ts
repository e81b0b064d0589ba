/**
 * Acknowledgements beside negative ones, measured in simulation by loss and by size of the group.
 */
import type { Protocol } from '@conclave/core/protocol';
import { simulate, totalMessages, type Workload } from '@conclave/core/simulation';
import { complete } from '@conclave/core/topology';
import { acknowledgedMulticast } from '../acknowledged-multicast/protocol.js';
import type { Command } from '../multicast.js';
import { negativeMulticast } from './protocol.js';

const conditions = { order: 'fifo', delay: { kind: 'uniform', least: 10, most: 50 } } as const;
const losses = [0, 0.02, 0.05, 0.1, 0.2];
const sizes = [2, 3, 5, 8];
/** The size where the loss varies, and the loss where the size varies. */
const [size, loss] = [5, 0.05];
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
      label: `lost messages, ${size} members`,
      across: losses.map((probability) => `${100 * probability} %`),
      points: series.map(({ protocol, gap }) =>
        losses.map((probability) => measure(protocol, gap, size, probability)),
      ),
    },
    {
      label: `members, ${100 * loss} % lost`,
      across: sizes.map(String),
      points: series.map(({ protocol, gap }) => sizes.map((n) => measure(protocol, gap, n, loss))),
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
export const curve = (): string =>
  [
    'Messages per multicast and receiver / time until the last member has delivered:',
    '',
    ...measured().flatMap(table),
  ]
    .join('\n')
    .trimEnd();
