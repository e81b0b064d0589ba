import { proof } from '@conclave/tools/sample';
import { afterEach, describe, expect, it } from 'vitest';
import type { Message } from '../protocol/node.js';
import { memoryNetwork } from './memory.js';
import { reliable } from './reliable.js';
import type { Transport } from './transport.js';

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
