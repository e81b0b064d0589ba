/** What locks did, as text for Prometheus: `@conclave/algorithms/prometheus`. */
import { ConclaveError } from '@conclave/core/protocol';
import type { Histogram } from './mutual-exclusion/lock-metrics.js';
import type { Lock } from './mutual-exclusion/lock-types.js';

type Labels = Readonly<Record<string, string>>;

const quoted = (value: string): string =>
  `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;

const labelsOf = (labels: Labels): string => {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${quoted(value)}`);
  return pairs.length > 0 ? `{${pairs.join(',')}}` : '';
};

/** The lines of one metric. */
class Metric {
  readonly #lines: string[];

  constructor(
    private readonly name: string,
    type: 'counter' | 'gauge' | 'histogram',
    help: string,
  ) {
    this.#lines = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
  }

  add(labels: Labels, value: number, suffix = ''): void {
    this.#lines.push(`${this.name}${suffix}${labelsOf(labels)} ${value}`);
  }

  addTimes(labels: Labels, { bounds, counts, count, sum }: Histogram): void {
    let below = 0;
    for (const [index, bound] of bounds.entries()) {
      below += counts[index] ?? 0;
      this.add({ ...labels, le: String(bound / 1000) }, below, '_bucket');
    }
    this.add({ ...labels, le: '+Inf' }, count, '_bucket');
    this.add(labels, sum / 1000, '_sum');
    this.add(labels, count, '_count');
  }

  toString(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}

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
  const waiting = new Metric('conclave_lock_waiting', 'gauge', 'Calls that wait for the lock');
  const held = new Metric('conclave_lock_held', 'gauge', 'Calls that have the lock');
  const age = new Metric(
    'conclave_lock_age_seconds',
    'gauge',
    'How long the lock has been held, 0 while it is free',
  );
  const wait = new Metric('conclave_lock_wait_seconds', 'histogram', 'From a call to its entry');
  const hold = new Metric(
    'conclave_lock_hold_seconds',
    'histogram',
    'From an entry to its release or loss',
  );
  const calls = new Metric('conclave_lock_calls_total', 'counter', 'Calls by what they came to');
  const admitted = new Metric('conclave_lock_admitted', 'gauge', '1 while the node takes part');
  const up = new Metric(
    'conclave_lock_transport_up',
    'gauge',
    '1 while the transport is connected',
  );
  const unreachable = new Metric(
    'conclave_lock_unreachable',
    'gauge',
    'Nodes that cannot be reached, where the transport knows',
  );
  const refusals = new Metric(
    'conclave_lock_refusals_total',
    'counter',
    'Errors by which the node refused others, or was refused',
  );
  const seen = new Set<string>();
  for (const { id, name, metrics, health } of locks) {
    const labels = { node: id, ...(name !== undefined && { name }) };
    const series = labelsOf(labels);
    if (seen.has(series))
      throw new ConclaveError(
        'bad-input',
        `Two locks have the labels ${series}`,
        'Give each lock of a node the option name.',
      );
    seen.add(series);
    waiting.add(labels, metrics.waiting);
    held.add(labels, metrics.held);
    age.add(labels, (metrics.age ?? 0) / 1000);
    wait.addTimes(labels, metrics.wait);
    hold.addTimes(labels, metrics.hold);
    const {
      acquired,
      released,
      withdrawn,
      aborted,
      timedOut,
      unavailable,
      closed,
      refused,
      failed,
      lost,
    } = metrics;
    const outcomes = {
      acquired,
      released,
      withdrawn,
      aborted,
      'timed-out': timedOut,
      unavailable,
      closed,
      refused,
      failed,
    };
    for (const [outcome, count] of Object.entries(outcomes))
      calls.add({ ...labels, outcome }, count);
    for (const [reason, count] of Object.entries(lost))
      calls.add({ ...labels, outcome: 'lost', reason }, count);
    admitted.add(labels, Number(health.admitted));
    up.add(labels, Number(health.transport === 'up'));
    unreachable.add(labels, health.unreachable.length);
    refusals.add(labels, health.refusals);
  }
  return [waiting, held, age, wait, hold, calls, admitted, up, unreachable, refusals].join('');
}
