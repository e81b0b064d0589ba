/** The reliable link in virtual time, over a network with delay and loss. */
import { proof } from '@conclave/tools/sample';
import { merge, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { Random } from '../base/random.js';
import type { Json, Message } from '../protocol/node.js';
import { VirtualClock } from '../simulation/clock.js';
import { memoryNetwork } from './memory.js';
import { type ReliableOptions, reliable } from './reliable.js';
import { RetransmissionTimeout } from './reliable-link.js';
import type { Incoming, Transport } from './transport.js';

interface Network extends ReliableOptions {
  /** Milliseconds a frame takes. */
  readonly delay: number;
  readonly loss?: number;
}

/** Two ends, and every frame that they send. */
class Bench {
  readonly clock = new VirtualClock();
  readonly frames: { readonly at: number; readonly type: string }[] = [];
  delay: number;
  #toLose = 0;
  readonly #toA = new Subject<Incoming>();
  readonly a: Transport;
  readonly b: Transport;

  constructor({ delay, loss = 0, ...options }: Network) {
    this.delay = delay;
    const random = new Random(7);
    const network = memoryNetwork(['a', 'b'], {
      schedule: (deliver) => this.clock.setTimeout(deliver, this.delay),
    });
    const end = (self: string) => {
      const transport = network.transport(self);
      const send = (to: string, message: Message) => {
        this.frames.push({ at: this.clock.now(), type: message.type });
        if (this.#toLose > 0) this.#toLose--;
        else if (!random.chance(loss)) transport.send(to, message);
      };
      const received$ = self === 'a' ? merge(transport.received$, this.#toA) : transport.received$;
      return reliable(
        { ...transport, received$, send },
        { clock: this.clock, incarnation: 1, ...options },
      );
    };
    this.a = end('a');
    this.b = end('b');
  }

  /** Loses the next frames. */
  lose(count: number): void {
    this.#toLose = count;
  }

  /** Lets `message` arrive at `a`. */
  toA(message: Message & Readonly<Record<string, Json>>): void {
    this.#toA.next({ from: 'b', message });
  }

  /** When `a` sent data frames, since `from`. */
  readonly sentAt = (from = 0): readonly number[] =>
    this.frames.flatMap(({ at, type }) => (type === 'data' && at >= from ? [at] : []));
}

/** Milliseconds until 500 payloads have arrived that are transmitted at once. */
function stream(network: Network): number {
  const { a, b, clock } = new Bench(network);
  let arrived = 0;
  let end = 0;
  b.received$.subscribe(() => {
    arrived++;
    end = clock.now();
  });
  for (let count = 0; count < 500; count++) a.send('b', { type: 'payload' });
  clock.run();
  expect(arrived).toBe(500);
  return Math.round(end);
}

/** Milliseconds for 100 requests and their answers, one after the other. */
function requests(network: Network): number {
  const { a, b, clock } = new Bench(network);
  let answered = 0;
  let end = 0;
  b.received$.subscribe(() => b.send('a', { type: 'answer' }));
  a.received$.subscribe(() => {
    end = clock.now();
    if (++answered < 100) a.send('b', { type: 'request' });
  });
  a.send('b', { type: 'request' });
  clock.run();
  expect(answered).toBe(100);
  return Math.round(end);
}

describe('a retransmission timeout', () => {
  const timeout = (bounds = {}) =>
    new RetransmissionTimeout({ first: 200, least: 10, most: 2000, ...bounds });

  it('is the smoothed round trip and four times its variation, as RFC 6298 computes them', () => {
    const measuring = timeout();
    const timeoutAfter = (roundTrip: number) => {
      measuring.measured(roundTrip);
      return measuring.current;
    };
    expect(measuring.current).toBe(200);
    expect(timeoutAfter(100)).toBe(100 + 4 * 50);
    expect(timeoutAfter(100)).toBe(100 + 4 * 37.5);
    expect(timeoutAfter(180)).toBe(110 + 4 * (0.75 * 37.5 + 0.25 * 80));
    for (let count = 0; count < 200; count++) timeoutAfter(100);
    expect(timeoutAfter(100)).toBeCloseTo(105); // the error that timers may have
  });

  it('doubles until the next measurement', () => {
    const silent = timeout();
    const waits = Array.from({ length: 6 }, () => {
      silent.expired();
      return silent.current;
    });
    expect(waits).toEqual([400, 800, 1600, 2000, 2000, 2000]);
    silent.measured(20);
    expect(silent.current).toBe(60);
  });

  it('stays between the least and the most, except for the first', () => {
    const quick = timeout({ least: 50, most: 100 });
    quick.expired();
    expect(quick.current).toBe(200);
    quick.measured(1);
    expect(quick.current).toBe(50);
    quick.measured(1000);
    expect(quick.current).toBe(100);
  });
});

describe('a reliable link', () => {
  it('backs off from a node that does not answer', () => {
    const { a, clock, sentAt } = new Bench({ delay: 10, loss: 1 });
    a.send('b', { type: 'payload' });
    clock.run(6000);
    expect(sentAt()).toEqual([0, 200, 600, 1400, 3000, 5000]);
  });

  it('adapts to the delay of the network, also when it changes', () => {
    const bench = new Bench({ delay: 2 });
    const { a, clock } = bench;
    const sentFor = () => {
      const from = clock.now();
      a.send('b', { type: 'payload' });
      clock.run();
      return bench.sentAt(from).length;
    };
    expect(sentFor()).toBe(2); // a first contact, then the session
    for (let count = 0; count < 20; count++) expect(sentFor()).toBe(1);
    bench.delay = 50;
    expect(sentFor()).toBe(4); // at 0, 10, 30 and 70 ms: the answer comes after 100
    for (let count = 0; count < 20; count++) expect(sentFor()).toBe(1);
  });

  it('measures a retransmitted frame by the copy that is answered', () => {
    const bench = new Bench({ delay: 2 });
    const { a, b, clock } = bench;
    for (let count = 0; count < 20; count++) {
      a.send('b', { type: 'payload' });
      clock.run();
    }
    bench.lose(1);
    const from = clock.now();
    a.send('b', { type: 'payload' });
    clock.run();
    bench.lose(1);
    a.send('b', { type: 'payload' });
    clock.run();
    // the second wait is as short as the first
    expect(bench.sentAt(from).map((at) => at - from)).toEqual([0, 10, 14, 24]);
    expect(b.self).toBe('b');
  });

  it('does not measure the answer to a former incarnation, whose clock may differ', () => {
    const bench = new Bench({ delay: 2, incarnation: 8 });
    bench.a.send('b', { type: 'payload' });
    bench.clock.run();
    bench.toA({ type: 'ack', incarnation: 9, addressed: 8, next: 1, stamp: -100_000 });
    const from = bench.clock.now();
    bench.delay = 10_000;
    bench.a.send('b', { type: 'payload' });
    bench.clock.run(from + 100);
    expect(bench.sentAt(from).length).toBeGreaterThan(2);
  });

  proof.each([
    { delay: 1, loss: 0, streams: [33, 33], answers: [202, 202] },
    { delay: 1, loss: 0.05, streams: [2443, 183], answers: [2200, 300] },
    { delay: 1, loss: 0.2, streams: [5049, 559], answers: [10988, 1088] },
    { delay: 10, loss: 0.2, streams: [5490, 1465], answers: [12680, 3701] },
    { delay: 50, loss: 0.2, streams: [7450, 5905], answers: [19200, 16949] },
  ])(
    'is faster than one with a fixed timeout of 200 ms where messages are lost: %o',
    ({ streams, answers, ...network }) => {
      const fixed = { ...network, leastTimeout: 200, mostTimeout: 200 };
      expect({
        streams: [stream(fixed), stream(network)],
        answers: [requests(fixed), requests(network)],
      }).toEqual({ streams, answers });
    },
  );
});
