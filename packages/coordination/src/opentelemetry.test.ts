/** Locks that tell OpenTelemetry, with the SDK and without. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ricartAgrawalaCancellable } from '@conclave/algorithms/ricart-agrawala';
import { memoryNetwork } from '@conclave/core/embedding';
import { type Attributes, SpanStatusCode } from '@opentelemetry/api';
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { expiring } from './lock/expiring.contract.js';
import { lock, locks } from './lock/lock-choice.js';
import { openTelemetry } from './opentelemetry.js';

class Reader extends MetricReader {
  protected async onForceFlush() {}
  protected async onShutdown() {}
}

/** An SDK in memory. */
function recorded() {
  const exporter = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  }).getTracer('test');
  const reader = new Reader();
  const meter = new MeterProvider({ readers: [reader] }).getMeter('test');
  const time = { now: 0 };
  /** The points of a metric, as [attributes without the common prefix, value]. */
  const points = async (name: string) => {
    const { resourceMetrics } = await reader.collect();
    const metric = resourceMetrics.scopeMetrics
      .flatMap(({ metrics }) => metrics)
      .find(({ descriptor }) => descriptor.name === `conclave.lock.${name}`);
    return (metric?.dataPoints ?? []).map(({ attributes, value }) => [texts(attributes), value]);
  };
  return {
    telemetry: openTelemetry({ tracer, meter, now: () => time.now }),
    spans: () => exporter.getFinishedSpans(),
    points,
    time,
  };
}

const texts = (attributes: Attributes) =>
  Object.entries(attributes)
    .map(([key, value]) => `${key.replace('conclave.lock.', '')}=${value}`)
    .join(' ');

describe('a lock with telemetry', () => {
  it('has a span for each entry, from the call to the release, and counts it', async () => {
    const { telemetry, spans, points, time } = recorded();
    const a = lock({
      tolerate: 'none',
      self: 'a',
      peers: [],
      transport: memoryNetwork(['a']).transport('a'),
      name: 'orders',
      telemetry,
    });
    const held = await a.acquire();
    const waiting = a.acquire();
    time.now = 250;
    expect(await points('waiting')).toEqual([['node=a name=orders', 1]]);
    expect(await points('held')).toEqual([['node=a name=orders', 1]]);
    expect(await points('age')).toEqual([['node=a name=orders', 0.25]]);
    expect(spans()).toEqual([]);
    held.release();
    (await waiting).release();
    expect(spans().map(({ name, status }) => [name, status.code])).toEqual([
      ['lock orders', SpanStatusCode.UNSET],
      ['lock orders', SpanStatusCode.UNSET],
    ]);
    const [span] = spans();
    expect(texts(span?.attributes ?? {})).toBe('node=a name=orders outcome=released');
    expect(span?.events.map(({ name, attributes = {} }) => [name, texts(attributes)])).toEqual([
      ['acquired', 'fencing_token=1'],
    ]);
    expect(await points('calls')).toEqual([
      ['node=a name=orders outcome=acquired', 2],
      ['node=a name=orders outcome=released', 2],
    ]);
    expect(await points('waiting')).toEqual([['node=a name=orders', 0]]);
    expect(await points('held')).toEqual([['node=a name=orders', 0]]);
    expect(await points('age')).toEqual([['node=a name=orders', 0]]);
    for (const name of ['wait', 'hold'])
      expect(await points(name)).toEqual([
        ['node=a name=orders', expect.objectContaining({ count: 2, buckets: expect.anything() })],
      ]);
    await a.close();
  });

  it('has the loss as an event, a reason and an error', async () => {
    const { telemetry, spans, points } = recorded();
    const transport = memoryNetwork(['a']).transport('a');
    const a = lock(expiring('lease-expired'), { self: 'a', peers: [], transport, telemetry });
    const held = await a.acquire();
    await held.lost;
    held.release();
    const [span] = spans();
    expect([span?.name, span?.status]).toEqual([
      'lock',
      {
        code: SpanStatusCode.ERROR,
        message:
          'Node a has lost the lock: its lease has expired. Stop the work in the critical section.',
      },
    ]);
    expect(span?.events.map(({ name, attributes = {} }) => [name, texts(attributes)])).toEqual([
      ['acquired', ''],
      ['lost', 'reason=lease-expired'],
    ]);
    expect(await points('calls')).toEqual([
      ['node=a outcome=acquired', 1],
      ['node=a outcome=lost reason=lease-expired', 1],
    ]);
    await a.close();
  });

  it('counts the calls that end without the lock, and withdrawals, by name', async () => {
    const { telemetry, spans, points } = recorded();
    const network = memoryNetwork(['a', 'b']);
    const [a, b] = ['a', 'b'].map((self) =>
      locks({
        protocol: ricartAgrawalaCancellable,
        self,
        peers: ['a', 'b'],
        transport: network.transport(self),
        telemetry,
        leaveWithin: 20,
      }),
    );
    const held = await b?.open('x').acquire();
    await a
      ?.open('x')
      .acquire({ waitFor: 5 })
      .catch(() => {});
    await a?.open('x').tryAcquire({ waitFor: 5 });
    const controller = new AbortController();
    const aborted = a
      ?.open('x')
      .acquire({ signal: controller.signal })
      .catch(() => {});
    controller.abort();
    await aborted;
    const closed = a
      ?.open('x')
      .acquire()
      .catch(() => {});
    await a?.close();
    await closed;
    held?.release();
    await sleep(0);
    expect(new Map((await points('calls')) as [string, number][])).toEqual(
      new Map([
        ['node=b name=x outcome=acquired', 1],
        ['node=a name=x outcome=timed-out', 1],
        ['node=a name=x outcome=withdrawn', expect.any(Number)],
        ['node=a name=x outcome=unavailable', 1],
        ['node=a name=x outcome=aborted', 1],
        ['node=a name=x outcome=closed', 1],
        ['node=b name=x outcome=released', 1],
      ]),
    );
    expect(spans().filter(({ status }) => status.code === SpanStatusCode.ERROR)).toHaveLength(4);
    await b?.close();
  });

  it('does nothing without an SDK', async () => {
    const a = lock({
      ...{ tolerate: 'none', self: 'a', peers: [], transport: memoryNetwork(['a']).transport('a') },
      telemetry: openTelemetry(),
    });
    expect(await a.run(() => 'done')).toBe('done');
    await a.close();
  });

  it('is the only file of this package that imports it', () => {
    const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter(
      (file) => /(?<!\.test)\.ts$/.test(file),
    );
    const importing = files.filter((file) =>
      readFileSync(`${import.meta.dirname}/${file}`, 'utf8').includes("from '@opentelemetry/"),
    );
    expect(importing).toEqual(['opentelemetry.ts']);
  });
});
