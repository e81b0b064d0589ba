import { setImmediate as macrotask } from 'node:timers/promises';
import fc from 'fast-check';
import { Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Message, NodeId } from '../protocol/node.js';
import { authenticated } from './authenticated.js';
import { bare } from './ball.contract.js';
import { reliable } from './reliable.js';
import type { Incoming, Transport } from './transport.js';

const secret = 'correct horse battery staple';

type Sent = Message & Record<string, unknown>;

/** A node whose wire the test holds: what it sent, and what it heard. */
function nodeOf(
  self: NodeId,
  key: string | Uint8Array = secret,
  make: (transport: Transport) => Transport = (transport) => transport,
) {
  const wire = new Subject<Incoming>();
  const sent: Sent[] = [];
  const transport = make(
    authenticated(bare(wire, { self, send: (_to, message) => sent.push({ ...message }) }), {
      secret: key,
    }),
  );
  const received: unknown[] = [];
  const errors: string[] = [];
  transport.received$.subscribe(({ message }) => received.push(message));
  transport.errors$?.subscribe(({ message }) => errors.push(message));
  return { transport, wire, sent, received, errors };
}

/** Until `condition` holds: the operations of the key end at a moment of their own. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await macrotask();
}

const refusals = ({ transport }: ReturnType<typeof nodeOf>) =>
  (transport.refused?.forged ?? 0) + (transport.refused?.malformed ?? 0);

/** What node a sends to b, as it is on the wire. */
async function recorded(...messages: readonly Message[]): Promise<readonly Sent[]> {
  const a = nodeOf('a');
  for (const message of messages) a.transport.send('b', message);
  await until(() => a.sent.length === messages.length);
  return a.sent;
}

const numbers = Array.from({ length: 50 }, (_, n) => ({ type: 'number', n, text: 'é"\n' }));

describe('an authenticated transport', () => {
  it('carries messages, in order, and may duplicate', async () => {
    const b = nodeOf('b');
    for (const message of await recorded(...numbers)) b.wire.next({ from: 'a', message });
    await until(() => b.received.length === numbers.length);
    expect(b.received).toEqual(numbers);
    expect(b.transport.guarantees).toEqual({ order: 'fifo', loss: false, duplication: true });
    expect(b.errors).toEqual([]);
  });

  it('takes a secret of bytes', async () => {
    const b = nodeOf('b', new TextEncoder().encode(secret));
    const [message] = await recorded({ type: 'ball' });
    b.wire.next({ from: 'a', message });
    await until(() => b.received.length === 1);
  });

  it.each<[string, NodeId, string, (message: Sent) => unknown, string]>([
    ['in the name of another node', 'c', 'b', (message) => message, 'forged'],
    ['that was for another node', 'a', 'c', (message) => message, 'forged'],
    [
      'with another text',
      'a',
      'b',
      (message) => ({ ...message, text: '{"type":"bell"}' }),
      'forged',
    ],
    ['without a code', 'a', 'b', ({ text }) => ({ type: 'signed', text }), 'malformed'],
    [
      'with half a code',
      'a',
      'b',
      (message) => ({ ...message, code: String(message.code).slice(32) }),
      'malformed',
    ],
    ['that is not wrapped', 'a', 'b', () => ({ type: 'ball' }), 'malformed'],
  ])('refuses a message %s', async (_what, from, self, change, reason) => {
    const node = nodeOf(self);
    const [message = { type: 'none' }] = await recorded({ type: 'ball' });
    node.wire.next({ from, message: change(message) });
    await until(() => refusals(node) === 1);
    expect(node.transport.refused).toMatchObject({ [reason]: 1 });
    expect(node.received).toEqual([]);
    expect(node.errors).toEqual([
      `Node ${self} has refused 1 messages as ${reason}, the last one in the name of '${from}'. Wrap the transports of all nodes by authenticated, with the same secret.`,
    ]);
  });

  it('refuses what was signed with another secret', async () => {
    const b = nodeOf('b', 'another secret, as long');
    const [message] = await recorded({ type: 'ball' });
    b.wire.next({ from: 'a', message });
    await until(() => refusals(b) === 1);
    expect(b.received).toEqual([]);
  });

  it('takes nothing but the authentic of many messages that were changed in one place', async () => {
    const b = nodeOf('b');
    const real = await recorded(...numbers.slice(0, 5));
    let changed = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(4), fc.nat(), fc.nat({ max: 0xffff }), async (which, place, code) => {
        const before = JSON.stringify(real[which]);
        const at = place % before.length;
        const after = before.slice(0, at) + String.fromCharCode(code) + before.slice(at + 1);
        let message: unknown = after;
        try {
          message = JSON.parse(after);
        } catch {
          // It stays a text.
        }
        if (JSON.stringify(message) === before) return;
        changed++;
        const count = refusals(b);
        b.wire.next({ from: 'a', message });
        await until(() => refusals(b) === count + 1);
      }),
      { numRuns: 2000, seed: 7 },
    );
    expect(changed).toBeGreaterThan(1900);
    expect(b.received).toEqual([]);
    expect(b.errors.length).toBeLessThan(10);
    b.wire.next({ from: 'a', message: real[0] });
    await until(() => b.received.length === 1);
  });

  it('below reliable(): what is recorded and sent again is not delivered twice', async () => {
    const [a, b] = (['a', 'b'] as const).map((self) =>
      nodeOf(self, secret, (below) => reliable(below, { incarnation: 1 })),
    );
    if (!a || !b) throw new Error('two were made');
    a.transport.send('b', { type: 'ball' });
    let [toA, toB] = [0, 0];
    const relay = () => {
      for (; toB < a.sent.length; toB++) b.wire.next({ from: 'a', message: a.sent[toB] });
      for (; toA < b.sent.length; toA++) a.wire.next({ from: 'b', message: b.sent[toA] });
    };
    await until(() => {
      relay();
      return b.received.length === 1;
    });
    const { length } = b.sent;
    for (const message of a.sent) b.wire.next({ from: 'a', message });
    await until(() => b.sent.length > length); // it acknowledges them again
    expect(b.received).toEqual([{ type: 'ball' }]);
    await Promise.all([a, b].map(({ transport }) => transport[Symbol.asyncDispose]().then(relay)));
  });

  it('sends all before it closes, and takes nothing more', async () => {
    const a = nodeOf('a');
    for (const message of numbers) a.transport.send('b', message);
    await a.transport.close();
    expect(a.sent).toHaveLength(numbers.length);
    expect(() => a.transport.send('b', { type: 'ball' })).toThrow(
      "The transport of node a is closed; it takes no 'ball'",
    );
    await a.transport.close();
  });

  it('reports what the transport below cannot send', async () => {
    const transport = authenticated(
      bare(new Subject(), {
        send: () => {
          throw new Error('no carrier');
        },
      }),
      { secret },
    );
    const errors: string[] = [];
    transport.errors$?.subscribe(({ message }) => errors.push(message));
    transport.send('b', { type: 'ball' });
    await until(() => errors.length === 1);
    expect(errors).toEqual(['Node a: no carrier']);
  });

  it.each(['short', new Uint8Array(15), 7])('refuses a secret that is too short: %o', (bad) => {
    expect(() => authenticated(bare(new Subject()), { secret: bad as string })).toThrow(
      /secret is .*Give a text of at least 16 characters, or at least 16 bytes/,
    );
  });
});
