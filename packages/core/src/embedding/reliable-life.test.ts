/** The reliable transport when its medium comes and goes, and when it is closed. */

import { proof } from '@conclave/tools/sample';
import { Subject } from 'rxjs';
import { afterEach, describe, expect, it } from 'vitest';
import type { Json, Message } from '../protocol/node.js';
import { VirtualClock } from '../simulation/clock.js';
import { memoryNetwork } from './memory.js';
import { Processes } from './processes.contract.js';
import { type ReliableOptions, reliable } from './reliable.js';
import type { PeerStatus, Transport, TransportStatus } from './transport.js';

/** Two ends in virtual time, over a medium that the test cuts. */
class Bench {
  readonly clock = new VirtualClock();
  readonly medium = new Processes({ order: 'any', loss: true, duplication: true });
  readonly status$ = new Subject<TransportStatus>();
  readonly peers$ = new Subject<PeerStatus>();
  readonly received: Json[] = [];
  readonly a: Transport;
  readonly b: Transport;

  constructor(options: ReliableOptions = {}) {
    const { transport } = this.medium.start('a');
    this.a = reliable(
      { ...transport, status$: this.status$, peers$: this.peers$ },
      { clock: this.clock, incarnation: 1, ...options },
    );
    this.b = reliable(this.medium.start('b').transport, { clock: this.clock, incarnation: 1 });
    this.b.received$.subscribe(({ message }) =>
      this.received.push((message as Message & { n: number }).n),
    ); // as sent below
  }

  send(n: number): void {
    this.a.send('b', { type: 'number', n } as Message);
  }

  cut(isCut: boolean): void {
    this.medium.loses = () => isCut;
  }
}

describe('reliable()', () => {
  it.each(['resumed', 'reachable'] as const)(
    'sends again at once when the transport says %s',
    async (what) => {
      const bench = new Bench();
      bench.cut(true);
      bench.send(1);
      await bench.medium.quiet();
      bench.cut(false);
      expect(bench.received).toEqual([]);
      if (what === 'resumed') bench.status$.next({ state: 'resumed', gap: true });
      else bench.peers$.next({ peer: 'b', reachable: true });
      await bench.medium.quiet();
      expect(bench.received).toEqual([1]);
      const { sent } = bench.medium;
      bench.status$.next({ state: 'resumed', gap: true });
      bench.peers$.next({ peer: 'c', reachable: true });
      await bench.medium.quiet();
      expect(bench.medium.sent).toBe(sent); // nothing is left to send
    },
  );

  it('passes on what the transport below tells', () => {
    const refused = {
      malformed: 0,
      version: 0,
      network: 0,
      stranger: 3,
      misaddressed: 0,
      forged: 0,
      'too-large': 0,
    };
    const { transport } = new Processes({ loss: true }).start('a');
    const admitted = Promise.resolve();
    const status$ = new Subject<TransportStatus>();
    const peers$ = new Subject<PeerStatus>();
    const made = reliable({ ...transport, status$, peers$, admitted, refused });
    const told: unknown[] = [];
    made.status$?.subscribe((status) => told.push(status));
    made.peers$?.subscribe((peer) => told.push(peer));
    status$.next({ state: 'down', reason: 'unplugged' });
    peers$.next({ peer: 'b', reachable: false });
    expect(told).toEqual([
      { state: 'down', reason: 'unplugged' },
      { peer: 'b', reachable: false },
    ]);
    expect([made.guarantees, made.refused, made.admitted]).toEqual([
      { order: 'fifo', loss: false, duplication: false, restarts: true },
      refused,
      admitted,
    ]);
    expect(reliable(new Processes().start('a').transport).refused).toMatchObject({ forged: 0 });
  });

  it('closes when all that it sent is acknowledged', async () => {
    const bench = new Bench();
    bench.cut(true);
    for (const n of [1, 2, 3]) bench.send(n);
    await bench.medium.quiet();
    let isClosed = false;
    const closed = bench.a.close().then(() => (isClosed = true));
    expect(() => bench.send(4)).toThrow("The transport of node a is closed; it takes no 'number'");
    await bench.medium.quiet();
    expect([isClosed, bench.received]).toEqual([false, []]);
    bench.cut(false);
    bench.status$.next({ state: 'resumed', gap: true });
    await closed;
    expect(bench.received).toEqual([1, 2, 3]);
  });

  it('closes after a second at the latest', async () => {
    const bench = new Bench();
    bench.cut(true);
    bench.send(1);
    let isClosed = false;
    const closed = bench.a.close().then(() => (isClosed = true));
    const at: number[] = [];
    while (!isClosed && at.length < 100) {
      await bench.medium.quiet();
      if (!isClosed) bench.clock.step();
      at.push(bench.clock.now());
    }
    await closed;
    expect(at.at(-1)).toBe(1000);
  });

  it('closes at once when nothing is to be acknowledged, or where it is told not to wait', async () => {
    const idle = new Bench();
    idle.send(1);
    await idle.medium.quiet();
    await idle.a.close();
    const hasty = new Bench({ drainFor: 0 });
    hasty.cut(true);
    hasty.send(1);
    await hasty.a.close();
  });

  it('closes when it cannot keep a message: without it, it would break its promise', async () => {
    const bench = new Bench({ mostUnacknowledged: 3 });
    const states: string[] = [];
    const errors: string[] = [];
    bench.a.status$?.subscribe(({ state }) => states.push(state));
    bench.a.errors$?.subscribe(({ code }) => errors.push(code));
    bench.cut(true);
    for (const n of [1, 2, 3]) bench.send(n);
    const lost =
      "Node a keeps 3 messages that b has not acknowledged; 'number' is lost, and the transport closes. Start both nodes again, or raise mostUnacknowledged.";
    expect(() => bench.send(4)).toThrow(lost);
    await Promise.resolve();
    expect([states, errors]).toEqual([['closed'], ['lost']]);
    bench.cut(false);
    bench.status$.next({ state: 'resumed', gap: true });
    await bench.medium.quiet();
    expect(() => bench.send(5)).toThrow(lost); // although there is room again
    expect(bench.received).toEqual([1, 2, 3]);
  });

  it('closes when its peers speak to a later incarnation of it', async () => {
    const bench = new Bench();
    bench.send(1);
    await bench.medium.quiet();
    const errors: string[] = [];
    const states: string[] = [];
    bench.a.errors$?.subscribe(({ message }) => errors.push(message));
    bench.a.status$?.subscribe(({ state }) => states.push(state));
    const later = reliable(bench.medium.start('a').transport, {
      clock: bench.clock,
      incarnation: 5,
    });
    later.send('b', { type: 'number', n: 2 } as Message);
    await bench.medium.quiet();
    expect(bench.received).toEqual([1, 2]);
    expect(errors).toEqual([
      expect.stringContaining(
        'Incarnation 2 of node a is refused by b: incarnation 6 has replaced it',
      ),
    ]);
    expect(states).toEqual(['closed']);
  });
});

const count = 3000;
const window = 4;

const question = (number: number) => ({ type: 'question', number });
const answerTo = (to: unknown) => ({ type: 'answer', to });

/** `transport`, which records the frames that it sends. */
const recorded = (transport: Transport, sent: Message[]): Transport => ({
  ...transport,
  send: (to, frame) => {
    sent.push(frame);
    transport.send(to, frame);
  },
});

describe('a reliable link with more messages than its window', () => {
  const open: Transport[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((transport) => transport.close()));
  });
  const pair = () => {
    const network = memoryNetwork(['a', 'b']);
    const [byA, byB]: [Message[], Message[]] = [[], []];
    const a = reliable(recorded(network.transport('a'), byA), { window });
    const b = reliable(recorded(network.transport('b'), byB), { window });
    open.push(a, b);
    return { a, b, byA, byB };
  };

  it('delivers all in order, and acknowledges the frames that arrive together once', async () => {
    const { a, b, byA, byB } = pair();
    const received: unknown[] = [];
    const all = new Promise<void>((resolve) => {
      b.received$.subscribe(({ message }) => {
        received.push(message);
        if (received.length === count) resolve();
      });
    });
    const messages = Array.from({ length: count }, (_, number) => ({ type: 'payload', number }));
    for (const message of messages) a.send('b', message);
    expect(byA.length).toBe(1); // the first contact
    await all;
    await a.close(); // until all is acknowledged
    expect(received).toEqual(messages);
    expect(byB.length).toBeLessThan(byA.length / 2);
  });

  it('acknowledges a message by its answer, also where the answer comes a few promises later', async () => {
    const { a, b, byA, byB } = pair();
    const answers: Message[] = [];
    let wake = () => {};
    b.received$.subscribe(({ message }) => {
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => b.send('a', answerTo(message)));
    });
    a.received$.subscribe(({ message }) => {
      answers.push(message as Message); // of b
      wake();
    });
    for (let number = 0; number < 20; number++) {
      const answered = new Promise<void>((resolve) => {
        wake = resolve;
      });
      a.send('b', question(number));
      await answered;
    }
    expect(answers.map(({ to }: Message & { to?: unknown }) => to)).toEqual(
      Array.from({ length: 20 }, (_, number) => question(number)),
    );
    // after the first contact a data frame carries each acknowledgement
    const alone = [...byA, ...byB].filter(({ type }) => type === 'ack');
    const carried = [...byA, ...byB].filter((frame) => 'next' in frame && frame.type === 'data');
    expect(alone.length).toBeLessThan(4);
    expect(carried.length).toBeGreaterThan(35);
  });

  proof('refuses at once what is not plain data, also while its window is full', () => {
    const { a } = pair();
    for (let number = 0; number < 2 * window; number++) a.send('b', { type: 'payload' });
    const message = { type: 'payload', at: new Date() };
    expect(() => a.send('b', message)).toThrow(/payload\.at \(.*\) is not plain data/);
  });
});
