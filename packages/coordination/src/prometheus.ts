/** What locks did, as text for Prometheus: `@conclave/coordination/prometheus`. */
import { ConclaveError } from '@conclave/core/protocol';
import type { Health } from './health.js';
import type { LockMetrics } from './lock/lock-metrics.js';
import type { Lock } from './lock/lock-types.js';

type Labels = Readonly<Record<string, string>>;

const quoted = (value: string): string =>
  `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

const labelsText = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${quoted(value)}`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
};

/** Of one lock, with labels and a suffix of the name beside those of all samples. */
type Sample = readonly [value: number, labels?: Labels, suffix?: string];

function samplesOf({ bounds, counts, count, sum }: LockMetrics['wait']): readonly Sample[] {
  let below = 0;
  const buckets = bounds.map((bound, index): Sample => {
    below += counts[index] ?? 0;
    return [below, { le: String(bound / 1000) }, '_bucket'];
  });
  return [
    ...buckets,
    [count, { le: '+Inf' }, '_bucket'],
    [sum / 1000, {}, '_sum'],
    [count, {}, '_count'],
  ];
}

const outcomes = [
  'acquired',
  'released',
  'withdrawn',
  'aborted',
  'timedOut',
  'unavailable',
  'closed',
  'refused',
  'failed',
] as const;

const states = ['working', 'joining', 'refused', 'closed'] as const;

const callsOf = (metrics: LockMetrics): readonly Sample[] => [
  ...outcomes.map((name): Sample => {
    return [metrics[name], { outcome: name === 'timedOut' ? 'timed-out' : name }];
  }),
  ...Object.entries(metrics.lost).map(([reason, count]): Sample => {
    return [count, { outcome: 'lost', reason }];
  }),
];

type Metric = readonly [
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: (metrics: LockMetrics, health: Health) => readonly Sample[],
];

const metricsOfLocks: readonly Metric[] = [
  ['waiting', 'gauge', 'Calls that wait for the lock', ({ waiting }) => [[waiting]]],
  ['held', 'gauge', 'Calls that have the lock', ({ held }) => [[held]]],
  [
    'age_seconds',
    'gauge',
    'How long the lock has been held, 0 while it is free',
    ({ age = 0 }) => [[age / 1000]],
  ],
  ['wait_seconds', 'histogram', 'From a call to its entry', ({ wait }) => samplesOf(wait)],
  [
    'hold_seconds',
    'histogram',
    'From an entry to its release or loss',
    ({ hold }) => samplesOf(hold),
  ],
  ['calls_total', 'counter', 'Calls by what they came to', callsOf],
  [
    'state',
    'gauge',
    '1 for the state of the node, 0 for the others',
    (_, health) => states.map((state) => [Number(state === health.state), { state }]),
  ],
  [
    'transport_up',
    'gauge',
    '1 while the transport is connected',
    (_, { transport }) => [[Number(transport === 'up')]],
  ],
  [
    'unreachable',
    'gauge',
    'Nodes that cannot be reached, where the transport knows',
    (_, { unreachable }) => [[unreachable.length]],
  ],
  [
    'refusals_total',
    'counter',
    'Errors by which the node refused nodes and frames of others, or was refused',
    (_, { refusals }) => [[refusals]],
  ],
];

/**
 * The metrics and the health of locks in the text format of Prometheus, version 0.0.4. Serve it
 * with the content type `text/plain; version=0.0.4; charset=utf-8`. Names and times are as of
 * `openTelemetry()`, in seconds; each has the label `node`, and `name` where the lock has one:
 * thousands of names are thousands of series.
 *
 * @throws {ConclaveError} `bad-input` for two locks of one node with the same name, or without one.
 * @example createServer((_, response) => response.end(prometheusText([counter]))).listen(9464);
 */
export function prometheusText(locks: Iterable<Lock>): string {
  const known = [...locks].map(({ id, name, metrics, health }) => {
    return { labels: { node: id, ...(name !== undefined && { name }) }, metrics, health };
  });
  requireDistinct(known.map(({ labels }) => labelsText(labels)));
  const linesOf = ([name, type, help, samples]: Metric) => [
    `# HELP conclave_lock_${name} ${help}`,
    `# TYPE conclave_lock_${name} ${type}`,
    ...known.flatMap(({ labels, metrics, health }) =>
      samples(metrics, health).map(
        ([value, more, suffix = '']) =>
          `conclave_lock_${name}${suffix}${labelsText({ ...labels, ...more })} ${value}`,
      ),
    ),
  ];
  return metricsOfLocks
    .flatMap(linesOf)
    .map((line) => `${line}\n`)
    .join('');
}

function requireDistinct(series: readonly string[]): void {
  const seen = new Set<string>();
  for (const one of series) {
    if (seen.has(one))
      throw new ConclaveError(
        'bad-input',
        `Two locks have the labels ${one}`,
        'Give each lock of a node the option name.',
      );
    seen.add(one);
  }
}
