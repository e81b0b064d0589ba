/**
 * Acknowledgements beside negative ones, measured in simulation by loss and by size of the group:
 * tables and a picture.
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
    colour: '#c0392b',
  },
  {
    name: 'acknowledged, relay on silence',
    protocol: acknowledgedMulticast({ relay: 'silence' }),
    gap: 50,
    colour: '#d68910',
  },
  {
    name: 'negative, a multicast each 5 s',
    protocol: negativeMulticast(),
    gap: 5_000,
    colour: '#7d3c98',
  },
  {
    name: 'negative, a multicast each 50 ms',
    protocol: negativeMulticast(),
    gap: 50,
    colour: '#3b6fd4',
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

let panels: readonly Panel[] | undefined;

/** Always the same: the seeds are. */
function measured(): readonly Panel[] {
  panels ??= [
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
  return panels;
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

/** The picture, and the same as tables. */
export const curvePart = (): string =>
  [
    '![Messages per multicast and receiver, by loss and by size of the group, acknowledged and negative](curve.svg)',
    '',
    'Messages per multicast and receiver / time until the last member has delivered:',
    '',
    ...measured().flatMap(table),
  ]
    .join('\n')
    .trimEnd();

const [width, height, bottom, top, legend] = [720, 400, 260, 40, 310];
const style =
  'text{font:12px sans-serif;fill:#52606d}.axis{stroke:#7b8794}.guide{stroke:#9aa5b1;stroke-opacity:.35}.curve{fill:none;stroke-width:2}';

function panelSvg(
  { label, across, points }: Panel,
  left: number,
  right: number,
  most: number,
): readonly string[] {
  const x = (place: number) => (left + ((right - left) * (place + 0.5)) / across.length).toFixed(1);
  const y = (count: number) => (bottom - ((bottom - top) * count) / most).toFixed(1);
  const upwards = Array.from({ length: most / 2 + 1 }, (_, index) => 2 * index);
  return [
    ...across.map(
      (at, place) => `<text x="${x(place)}" y="${bottom + 18}" text-anchor="middle">${at}</text>`,
    ),
    ...upwards.flatMap((count) => [
      `<line class="guide" x1="${left}" x2="${right}" y1="${y(count)}" y2="${y(count)}"/>`,
      `<text x="${left - 8}" y="${y(count)}" dy="4" text-anchor="end">${count}</text>`,
    ]),
    `<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/>`,
    `<text x="${(left + right) / 2}" y="${bottom + 36}" text-anchor="middle">${label}</text>`,
    ...series.flatMap(({ colour }, index) => {
      const curve = points[index] ?? [];
      return [
        `<polyline class="curve" stroke="${colour}" points="${curve.map(({ messages }, place) => `${x(place)},${y(messages)}`).join(' ')}"/>`,
        ...curve.map(
          ({ messages }, place) =>
            `<circle fill="${colour}" cx="${x(place)}" cy="${y(messages)}" r="3"/>`,
        ),
      ];
    }),
  ];
}

/** Messages per multicast and receiver upwards; loss and size of the group from left to right. */
export function curveSvg(): string {
  const all = measured();
  const most =
    2 *
    Math.ceil(
      Math.max(...all.flatMap(({ points }) => points.flat().map(({ messages }) => messages))) / 2,
    );
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Messages per multicast, acknowledged and negative">`,
    `<style>${style}</style>`,
    '<text x="50" y="20">messages per multicast and receiver</text>',
    ...all.flatMap((panel, index) => panelSvg(panel, 50 + 350 * index, 350 + 350 * index, most)),
    ...series.flatMap(({ name, colour }, index) => [
      `<line stroke="${colour}" stroke-width="2" x1="50" x2="80" y1="${legend + 20 * index}" y2="${legend + 20 * index}"/>`,
      `<text x="88" y="${legend + 4 + 20 * index}">${name}</text>`,
    ]),
    '</svg>',
  ].join('\n')}\n`;
}
