import { setTimeout as sleep } from 'node:timers/promises';
import { assertRuns, isWhole } from '@conclave/tools/sample';
import fc from 'fast-check';
import { of, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { ConclaveError } from '../base/error.js';
import { type HandStepped, handStepped, memoryNetwork } from './memory.js';
import { reliable } from './reliable.js';
import type { Incoming, Transport } from './transport.js';

const anything = { order: 'any', loss: true, duplication: true } as const;
const ends = ['a', 'b'] as const;
type End = (typeof ends)[number];
const other = (end: End): End => (end === 'a' ? 'b' : 'a');

/** What one end received from each incarnation of the other: the numbers of its payloads. */
type Received = Map<number, number[]>;

/** Two nodes joined by a reliable link over a network with all faults; both may restart. */
class Bench {
  readonly network: HandStepped = handStepped(ends, anything);
  readonly starts = { a: 0, b: 0 };
  /** How many payloads the current incarnation of each end has transmitted. */
  readonly sent = { a: 0, b: 0 };
  /** What each incarnation of each end received. */
  readonly received: Record<End, Received[]> = { a: [], b: [] };
  readonly #transports: Record<End, Transport>;

  constructor(private readonly window = 4) {
    this.#transports = { a: this.#start('a'), b: this.#start('b') };
  }

  #start(end: End): Transport {
    const start = ++this.starts[end];
    const transport = reliable(this.network.transport(end), {
      incarnation: start,
      drainFor: 0, // a restart is a crash
      window: this.window,
      clock: { ...this.network.clock(end), now: () => 0 },
    });
    const received: Received = new Map();
    this.received[end].push(received);
    transport.received$.subscribe(({ message }) => {
      // as transmitted below
      const { start, number } = message as { start: number; number: number };
      received.set(start, [...(received.get(start) ?? []), number]);
    });
    transport.errors$?.subscribe((error) => {
      throw error;
    });
    return transport;
  }

  transmit(end: End): void {
    const message = { type: 'payload', start: this.starts[end], number: this.sent[end]++ };
    this.#transports[end].send(other(end), message);
  }

  /** The numbers of the data frames from one end to the other. */
  numbersOnTheWay(from: End, to: End): unknown[] {
    return this.network.channel(from, to).flatMap((frame) => ('seq' in frame ? [frame.seq] : []));
  }

  restart(end: End): void {
    void this.#transports[end].close();
    this.sent[end] = 0;
    this.#transports[end] = this.#start(end);
  }

  /**
   * Delivers all messages and lets time pass until the system is quiescent; false when that takes
   * too long.
   */
  finish(): boolean {
    for (let round = 0; round < 100; round++) {
      for (let [next] = this.network.inFlight; next; [next] = this.network.inFlight)
        this.network.deliver(next.from, next.to);
      const armed = ends.flatMap((end) =>
        this.network.timers(end).map((timer) => ({ end, timer })),
      );
      if (armed.length === 0) return true;
      for (const { end, timer } of armed) this.network.fire(end, timer);
    }
    return false;
  }
}

const upTo = (count: number) => Array.from({ length: count }, (_, number) => number);
const anEnd = fc.constantFrom(...ends);
const aPlace = fc.nat({ max: 9 });
const act = <K extends string>(weight: number, ...kinds: K[]) => ({
  weight,
  arbitrary: fc.record({ kind: fc.constantFrom(...kinds), end: anEnd, place: aPlace }),
});
const mischief = [
  act(3, 'transmit'),
  act(6, 'deliver'),
  act(2, 'fire', 'drop'),
  act(1, 'duplicate'),
] as const;
const long = { minLength: 40, maxLength: 120, size: 'max' } as const;
interface Action {
  readonly kind: 'transmit' | 'fire' | 'restart' | 'deliver' | 'drop' | 'duplicate';
  readonly end: End;
  readonly place: number;
}

function perform(bench: Bench, action: Action): void {
  const { network } = bench;
  if (action.kind === 'transmit' || action.kind === 'restart')
    return bench[action.kind](action.end);
  if (action.kind === 'fire') {
    const [timer] = network.timers(action.end);
    if (timer !== undefined) network.fire(action.end, timer);
    return;
  }
  const { length } = network.channel(other(action.end), action.end);
  if (length > 0) network[action.kind](other(action.end), action.end, action.place % length);
}

describe('a reliable link over a channel that loses, repeats and reorders', () => {
  it('delivers exactly the transmitted payloads, once, in order; then is quiescent', () => {
    let delivered = 0;
    assertRuns(
      fc.property(
        fc.array(fc.oneof(...mischief), long),
        fc.integer({ min: 1, max: 4 }),
        (actions, window) => {
          const bench = new Bench(window);
          for (const action of actions) {
            perform(bench, action);
            for (const end of ends) {
              const received = bench.received[end][0]?.get(1) ?? [];
              expect(received).toEqual(upTo(received.length));
            }
          }
          expect(bench.finish()).toBe(true);
          for (const end of ends) {
            expect(bench.received[end][0]?.get(1) ?? []).toEqual(upTo(bench.sent[other(end)]));
            delivered += bench.sent[end];
          }
        },
      ),
      20,
      200,
      7,
    );
    if (isWhole) expect(delivered).toBeGreaterThan(1000);
  });

  it('across restarts: one incarnation receives the payloads of another in order, once, without gaps', () => {
    let restarts = 0;
    assertRuns(
      fc.property(fc.array(fc.oneof(...mischief, act(1, 'restart')), long), (actions) => {
        const bench = new Bench();
        for (const action of actions) perform(bench, action);
        expect(bench.finish()).toBe(true);
        for (const end of ends) {
          restarts += bench.starts[end] - 1;
          // by incarnation of the sender: the last number received by any incarnation of this end
          const known = new Map<number, number>();
          for (const received of bench.received[end]) {
            // never back to a former incarnation
            expect([...received.keys()]).toEqual([...received.keys()].sort((x, y) => x - y));
            for (const [start, numbers] of received) {
              const [first = 0] = numbers;
              expect(numbers).toEqual(numbers.map((_, index) => first + index));
              expect(first).toBeLessThanOrEqual(known.get(start) ?? 0);
              known.set(start, Math.max(known.get(start) ?? 0, first + numbers.length));
            }
          }
          expect(known.get(bench.starts[other(end)]) ?? 0).toBe(bench.sent[other(end)]);
        }
      }),
      20,
      200,
      7,
    );
    if (isWhole) expect(restarts).toBeGreaterThan(300);
  });

  it('sends at most its window at once, and only one frame before the first contact', () => {
    const bench = new Bench(3);
    for (let count = 0; count < 10; count++) bench.transmit('a');
    expect(bench.network.channel('a', 'b')).toHaveLength(1);
    bench.network.deliver('a', 'b');
    bench.network.deliver('b', 'a');
    expect(bench.numbersOnTheWay('a', 'b')).toEqual([0, 1, 2]);
    bench.network.deliver('a', 'b');
    bench.network.deliver('b', 'a');
    expect(bench.numbersOnTheWay('a', 'b')).toEqual([1, 2, 3]);
    expect(bench.finish()).toBe(true);
    expect(bench.received.b[0]?.get(1)).toEqual(upTo(10));
  });

  it('delivers to a restarted end only payloads that its former incarnation had not acknowledged', () => {
    const bench = new Bench();
    bench.transmit('a');
    bench.finish();
    bench.transmit('a');
    bench.transmit('a');
    bench.network.duplicate('a', 'b');
    bench.network.deliver('a', 'b'); // number 1 is delivered,
    bench.network.drop('b', 'a'); // but its acknowledgement lost
    bench.restart('b');
    // 1 again, and 2: both for the former incarnation of b
    expect(bench.network.channel('a', 'b')).toHaveLength(2);
    bench.network.deliver('a', 'b');
    bench.network.deliver('a', 'b');
    expect(bench.received.b[1]?.get(1)).toBeUndefined();
    bench.finish();
    expect(bench.received.b.map((received) => received.get(1))).toEqual([
      [0, 1],
      [1, 2],
    ]);
  });

  it('does not mix early payloads of one incarnation with those of a later one', () => {
    const bench = new Bench();
    bench.transmit('a');
    bench.finish();
    bench.transmit('a');
    bench.transmit('a');
    bench.network.drop('a', 'b');
    // number 2 comes before number 1, which is lost with its sender
    bench.network.deliver('a', 'b');
    bench.restart('a');
    for (let count = 0; count < 4; count++) bench.transmit('a');
    bench.finish();
    expect([...(bench.received.b[0] ?? [])]).toEqual([
      [1, [0]],
      [2, [0, 1, 2, 3]],
    ]);
  });

  it('does not count acknowledgements of a former incarnation for the current one', () => {
    const bench = new Bench();
    bench.transmit('a');
    bench.finish();
    bench.transmit('a');
    bench.network.deliver('a', 'b');
    const acknowledgement = bench.network.channel('b', 'a')[0] ?? { type: 'none' };
    bench.restart('b');
    for (let count = 0; count < 3; count++) bench.transmit('a');
    // number 2 reaches the new b, which answers with its incarnation
    bench.network.deliver('a', 'b');
    bench.network.deliver('b', 'a', 1);
    bench.network.deliver('b', 'a', acknowledgement);
    bench.finish();
    expect(bench.received.b.map((received) => received.get(1))).toEqual([
      [0, 1],
      [1, 2, 3, 4],
    ]);
  });

  it('restarts its timer after each acknowledgement that makes progress', () => {
    const bench = new Bench();
    for (let count = 0; count < 3; count++) bench.transmit('a');
    bench.network.deliver('a', 'b');
    bench.network.deliver('b', 'a');
    bench.network.clock('a').setTimeout(() => {}, 1, 'marker');
    bench.network.duplicate('a', 'b');
    bench.network.deliver('a', 'b');
    bench.network.deliver('b', 'a');
    expect(bench.network.timers('a')).toEqual([
      'marker',
      'xstate.after.retransmitAfter.reliable-link.waiting',
    ]);
    bench.network.clock('a').setTimeout(() => {}, 1, 'second marker');
    bench.network.deliver('a', 'b');
    bench.network.deliver('b', 'a');
    expect(bench.network.timers('a')).toEqual([
      'marker',
      'xstate.after.retransmitAfter.reliable-link.waiting',
      'second marker',
    ]);
  });

  it('drops frames in flight from a former incarnation of its peer', () => {
    const bench = new Bench();
    bench.transmit('a');
    bench.finish();
    bench.transmit('a');
    bench.restart('a');
    bench.transmit('a');
    bench.network.deliver('a', 'b', 1); // the first frame of the new a
    bench.network.deliver('a', 'b', 0); // the last frame of the old a
    bench.finish();
    expect([...(bench.received.b[0] ?? [])]).toEqual([
      [1, [0]],
      [2, [0]],
    ]);
  });
});

describe('reliable()', () => {
  const lost = (wire: Subject<Incoming>, sent: unknown[]): Transport => {
    const close = async () => {};
    return {
      self: 'a',
      guarantees: { order: 'fifo', loss: true, duplication: false },
      received$: wire,
      send: (to, message) => sent.push({ to, message }),
      close,
      [Symbol.asyncDispose]: close,
    };
  };

  it('guarantees everything that a protocol may assume', () => {
    expect(reliable(lost(new Subject(), [])).guarantees).toEqual({
      order: 'fifo',
      loss: false,
      duplication: false,
    });
  });

  it('has a link to each peer, by default in real time', async () => {
    const network = memoryNetwork(['a', 'b', 'c']);
    const [a, b, c] = ['a', 'b', 'c'].map((id) =>
      reliable(network.transport(id), { retransmitAfter: 5 }),
    );
    const received: unknown[] = [];
    for (const transport of [b, c])
      transport?.received$.subscribe(({ from, message }) =>
        received.push([transport.self, from, message]),
      );
    a?.send('b', { type: 'one' });
    a?.send('c', { type: 'two' });
    c?.send('b', { type: 'three' });
    await sleep(20);
    expect(received).toHaveLength(3);
    expect(received).toEqual(
      expect.arrayContaining([
        ['b', 'a', { type: 'one' }],
        ['c', 'a', { type: 'two' }],
        ['b', 'c', { type: 'three' }],
      ]),
    );
    for (const transport of [a, b, c]) await transport?.close();
  });

  it('repeats a first frame until it is answered, and stops when closed', async () => {
    const sent: unknown[] = [];
    const transport = reliable(lost(new Subject(), sent), {
      incarnation: 6,
      retransmitAfter: 5,
      leastTimeout: 5,
      mostTimeout: 5,
      drainFor: 0,
    });
    transport.send('b', { type: 'one' });
    while (sent.length < 3) await sleep(1);
    expect(sent[2]).toEqual({
      to: 'b',
      message: {
        type: 'data',
        incarnation: 7,
        addressed: 0,
        seq: 0,
        payload: { type: 'one' },
        stamp: expect.any(Number),
      },
    });
    await transport.close();
    const { length } = sent;
    await sleep(20);
    expect(sent).toHaveLength(length);
    expect(() => transport.send('b', { type: 'two' })).toThrow(
      "The transport of node a is closed; it takes no 'two'",
    );
  });

  it('takes no acknowledgement of what was never sent', async () => {
    const [wire, sent] = [new Subject<Incoming>(), [] as { message: { seq?: number } }[]];
    const clock = { now: () => 0, setTimeout: () => 0, clearTimeout: () => {} };
    const transport = reliable(lost(wire, sent), { incarnation: 6, clock, drainFor: 0 });
    const ack = (next: number) =>
      wire.next({ from: 'b', message: { type: 'ack', incarnation: 3, addressed: 7, next } });
    for (const type of ['one', 'two', 'three']) transport.send('b', { type });
    ack(0); // meets b
    sent.length = 0;
    ack(9);
    ack(2);
    ack(9);
    transport.send('b', { type: 'four' });
    expect(sent.map(({ message }) => message.seq)).toEqual([3]);
    ack(4);
    await transport.close(); // at once: nothing is left to drain
  });

  it('reports messages that are not frames, such as those of an unwrapped peer, and impossible ids', () => {
    const wire = new Subject<Incoming>();
    const transport = reliable(lost(wire, []));
    const received: unknown[] = [];
    const errors: string[] = [];
    wire.next({ from: 'b', message: { type: 'request', ts: 1 } });
    wire.next({ from: 'a b', message: { type: 'request', ts: 1 } });
    transport.received$.subscribe((incoming) => received.push(incoming));
    transport.errors$?.subscribe(({ message }) => errors.push(message));
    expect(received).toEqual([]);
    expect(errors).toEqual([
      "Node a got from b 'request', which is none of data, ack. Do both run reliable-link, in the same version?",
      expect.stringContaining("'a b' cannot be a node id"),
    ]);
  });

  it('passes on the errors of the transport under it', () => {
    const noise = new ConclaveError('bad-input', 'Noise on the line');
    const transport = reliable({ ...lost(new Subject(), []), errors$: of(noise) });
    const errors: unknown[] = [];
    transport.errors$?.subscribe((error) => errors.push(error));
    expect(errors).toEqual([noise]);
  });

  it.each([
    [{ incarnation: -1 }, 'reliable: incarnation is -1. Give a whole number, 0 or more.'],
    [{ retransmitAfter: 0 }, 'reliable: retransmitAfter is 0. Give a whole number, 1 or more.'],
    [{ leastTimeout: 50, mostTimeout: 20 }, 'a leastTimeout that is not above mostTimeout'],
    [{ window: 1.5 }, 'reliable: window is 1.5. Give a whole number, 1 or more.'],
  ])('refuses invalid options: %o', (options, text) => {
    expect(() => reliable(lost(new Subject(), []), options)).toThrow(text);
  });
});
