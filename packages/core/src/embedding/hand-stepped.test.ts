import { describe, expect, it } from 'vitest';
import { chain } from '../topology/generators.js';
import { handStepped } from './memory.js';
import type { Transport } from './transport.js';

const receivedBy = (transport: Transport) => {
  const received: string[] = [];
  transport.received$.subscribe(({ from, message }) =>
    received.push(`${from}: ${JSON.stringify(message)}`),
  );
  return received;
};

const anyOrder = { order: 'any', loss: true, duplication: true } as const;

describe('a hand-stepped network', () => {
  it('delivers only on a call', () => {
    const network = handStepped(['a', 'b']);
    const received = receivedBy(network.transport('b'));
    const a = network.transport('a');
    a.send('b', { type: 'one' });
    a.send('b', { type: 'two' });
    expect(received).toEqual([]);
    expect(network.inFlight).toEqual([
      { from: 'a', to: 'b', message: { type: 'one' } },
      { from: 'a', to: 'b', message: { type: 'two' } },
    ]);
    expect(network.channel('a', 'b')).toEqual([{ type: 'one' }, { type: 'two' }]);
    expect(network.channel('b', 'a')).toEqual([]);
    network.deliver('a', 'b');
    expect(received).toEqual(['a: {"type":"one"}']);
    expect(network.channel('a', 'b')).toEqual([{ type: 'two' }]);
  });

  it('keeps each channel in order unless it guarantees none', () => {
    const message = (n: number, list: readonly number[] = []) => ({ type: 'm', n, list });
    const fifo = handStepped(chain(2));
    const [x = '', y = ''] = chain(2).nodes;
    fifo.transport(x).send(y, message(1));
    fifo.transport(y).send(x, message(9));
    expect(() => fifo.deliver(x, y, message(2))).toThrow(
      `The channel ${x}→${y} holds no {"type":"m","n":2,"list":[]}. It holds [{"type":"m","n":1,"list":[]}].`,
    );
    expect(fifo.channel(x, y)).toHaveLength(1);

    const any = handStepped(['a', 'b'], anyOrder);
    const received = receivedBy(any.transport('b'));
    const a = any.transport('a');
    for (const n of [1, 2, 3]) a.send('b', message(n, [n]));
    any.deliver('a', 'b', 1);
    any.deliver('a', 'b', { list: [3], n: 3, type: 'm' } as { readonly type: string });
    any.deliver('a', 'b');
    expect(received).toEqual([2, 3, 1].map((n) => `a: {"type":"m","n":${n},"list":[${n}]}`));
  });

  it('refuses to overtake on a fifo channel', () => {
    const network = handStepped(['a', 'b']);
    const a = network.transport('a');
    a.send('b', { type: 'one' });
    a.send('b', { type: 'two' });
    const text =
      'The channel a→b is fifo, and the message is not its oldest. Deliver the oldest first.';
    expect(() => network.deliver('a', 'b', 1)).toThrow(text);
    expect(() => network.deliver('a', 'b', { type: 'two' })).toThrow(text);
    expect(() => network.deliver('b', 'a')).toThrow(
      'The channel b→a holds no message 0. It holds [].',
    );
  });

  it('loses and duplicates on a call', () => {
    const network = handStepped(['a', 'b']);
    const received = receivedBy(network.transport('b'));
    const a = network.transport('a');
    for (const type of ['one', 'two', 'three']) a.send('b', { type });
    network.duplicate('a', 'b', { type: 'two' });
    network.drop('a', 'b');
    for (let left = network.channel('a', 'b').length; left > 0; left--) network.deliver('a', 'b');
    expect(received).toEqual(['a: {"type":"two"}', 'a: {"type":"two"}', 'a: {"type":"three"}']);
  });

  it('loses messages to a closed node, and keeps its sent messages', async () => {
    const network = handStepped(['a', 'b']);
    const [a, b] = [network.transport('a'), network.transport('b')];
    const received = receivedBy(a);
    a.send('b', { type: 'one' });
    b.send('a', { type: 'two' });
    await b.close();
    network.deliver('a', 'b');
    network.deliver('b', 'a');
    expect(received).toEqual(['b: {"type":"two"}']);
    expect(receivedBy(network.transport('b'))).toEqual([]);
  });

  it('keeps timers by name, in the order they were armed', () => {
    const network = handStepped(['a', 'b']);
    const clock = network.clock('a');
    const fired: string[] = [];
    clock.setTimeout(() => fired.push('slow'), 100, 'slow');
    const quick = clock.setTimeout(() => fired.push('quick'), 1, 'quick');
    clock.setTimeout(() => fired.push('nameless'), 1);
    expect(network.timers('a')).toEqual(['slow', 'quick', 'timer']);
    expect(network.timers('b')).toEqual([]);
    clock.clearTimeout(quick);
    clock.clearTimeout(quick);
    network.fire('a', 'slow');
    expect(fired).toEqual(['slow']);
    expect(() => network.fire('a', 'slow')).toThrow(
      "Node a has no armed timer 'slow'. Armed: timer.",
    );
    expect(() => network.fire('b', 'slow')).toThrow(
      "Node b has no armed timer 'slow'. Armed: none.",
    );
  });

  it('gives each node one transport, and unknown nodes none', () => {
    const network = handStepped(['a', 'b']);
    const a = network.transport('a');
    expect(() => network.transport('a')).toThrow('Node a has a transport already. Close it first.');
    expect(() => network.transport('c')).toThrow("The network has no node 'c'. Its nodes: a, b.");
    expect(() => network.clock('c')).toThrow("The network has no node 'c'");
    expect(() => a.send('c', { type: 'one' })).toThrow("The network has no node 'c'");
  });
});
