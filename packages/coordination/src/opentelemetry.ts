/**
 * What locks tell, as spans and metrics of OpenTelemetry: `@conclave/coordination/opentelemetry`.
 * `@opentelemetry/api` is an optional peer dependency.
 */

import { checkOptions, schemas } from '@conclave/core/internal';
import {
  type Attributes,
  type Meter,
  metrics,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { LockLost } from './lock/lock-held.js';
import { histogramBounds, type LockTelemetry } from './lock/lock-metrics.js';

const scope = '@conclave/coordination';
const { callback, fields, optional, optionsOf } = schemas;
const telemetryOptions = optionsOf<NonNullable<Parameters<typeof openTelemetry>[0]>>({
  tracer: optional(fields),
  meter: optional(fields),
  now: optional(callback),
});

/**
 * The option `telemetry` of `lock` and `locks`. Without an SDK it does nothing. Give one to all
 * locks of a program.
 *
 * - A span for each call, `lock` and the lock's name, from its begin to its release: the event
 *   `acquired`; `lost`, and the status of an error, where it ends otherwise.
 * - `conclave.lock.waiting` and `conclave.lock.held`: calls now; `conclave.lock.age`: how long the
 *   lock has been held, in seconds; 0 while it is free.
 * - `conclave.lock.wait` and `conclave.lock.hold`: histograms, in seconds.
 * - `conclave.lock.calls`: by `conclave.lock.outcome` (`acquired`, `released`, `lost`, `aborted`,
 *   `timed-out`, `unavailable`, `closed`, `refused`, `withdrawn`, `failed`) and, for `lost`,
 *   `conclave.lock.reason`.
 *
 * All have the attributes `conclave.lock.node` and, where the lock has a name,
 * `conclave.lock.name`: thousands of names are thousands of series.
 *
 * @throws {ConclaveError} `bad-input` for another option.
 * @example lock({ tolerate: 'none', self, peers, transport, telemetry: openTelemetry() });
 */
export function openTelemetry(
  options: {
    /** Default: that of the global provider. */
    readonly tracer?: Tracer;
    /** Default: that of the global provider, which must be set before. */
    readonly meter?: Meter;
    /** The time in milliseconds. Default `performance.now`. */
    readonly now?: () => number;
  } = {},
): LockTelemetry {
  checkOptions('openTelemetry', telemetryOptions, options);
  const {
    tracer = trace.getTracer(scope),
    meter = metrics.getMeter(scope),
    now = () => performance.now(),
  } = options;
  const { waiting, held, wait, hold, calls } = instrumentsOf(meter);
  /** By node and name. `since`: from when it has been held; undefined while it is free. */
  const known = new Map<string, { since: number | undefined; readonly attributes: Attributes }>();
  const lockOf = (node: string, name: string | undefined) => {
    const key = JSON.stringify([node, name]);
    const found = known.get(key) ?? { since: undefined, attributes: attributesOf(node, name) };
    known.set(key, found);
    return found;
  };
  ageOf(meter).addCallback((result) => {
    for (const { since, attributes } of known.values())
      result.observe(since === undefined ? 0 : (now() - since) / 1000, attributes);
  });
  const count = (attributes: Attributes, outcome: string, reason?: string) =>
    calls.add(1, { ...attributes, ...outcomeOf(outcome, reason) });

  return {
    begin: (node, name) => {
      const lock = lockOf(node, name);
      const { attributes } = lock;
      const span = tracer.startSpan(name === undefined ? 'lock' : `lock ${name}`, { attributes });
      waiting.add(1, attributes);
      return {
        acquired: (time, fencingToken) => {
          waiting.add(-1, attributes);
          held.add(1, attributes);
          lock.since = now();
          wait.record(time / 1000, attributes);
          count(attributes, 'acquired');
          span.addEvent(
            'acquired',
            fencingToken === undefined ? {} : { 'conclave.lock.fencing_token': fencingToken },
          );
        },
        ended: (outcome, time, error) => {
          if (time === undefined) waiting.add(-1, attributes);
          else {
            held.add(-1, attributes);
            lock.since = undefined;
            hold.record(time / 1000, attributes);
          }
          count(attributes, outcome, error instanceof LockLost ? error.reason : undefined);
          if (error instanceof LockLost)
            span.addEvent('lost', { 'conclave.lock.reason': error.reason });
          if (error) span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
          span.setAttribute('conclave.lock.outcome', outcome).end();
        },
      };
    },
    withdrawn: (node, name) => count(lockOf(node, name).attributes, 'withdrawn'),
  };
}

function instrumentsOf(meter: Meter) {
  const advice = { explicitBucketBoundaries: histogramBounds.map((bound) => bound / 1000) };
  const times = (name: string, description: string) =>
    meter.createHistogram(`conclave.lock.${name}`, { description, unit: 's', advice });
  const gauge = (name: string, description: string) =>
    meter.createUpDownCounter(`conclave.lock.${name}`, { description });
  return {
    waiting: gauge('waiting', 'Calls that wait for the lock'),
    held: gauge('held', 'Calls that have the lock'),
    wait: times('wait', 'From a call to its entry'),
    hold: times('hold', 'From an entry to its release or loss'),
    calls: meter.createCounter('conclave.lock.calls', {
      description: 'Calls by what they came to',
    }),
  };
}

const ageOf = (meter: Meter) =>
  meter.createObservableGauge('conclave.lock.age', {
    description: 'How long the lock has been held',
    unit: 's',
  });

const outcomeOf = (outcome: string, reason?: string): Attributes => ({
  'conclave.lock.outcome': outcome,
  ...(reason !== undefined && { 'conclave.lock.reason': reason }),
});

const attributesOf = (node: string, name: string | undefined): Attributes => ({
  'conclave.lock.node': node,
  ...(name !== undefined && { 'conclave.lock.name': name }),
});
