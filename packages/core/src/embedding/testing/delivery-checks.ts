import { identical } from '../../protocol/plain-data.js';
import { isRecord } from '../transport.js';
import { allowedWhileUp, type Check, nodes, require, requireError, type Stage } from './check.js';
import { allArrived, type Endpoint, judge, judgeSenders } from './endpoint.js';

/** Waits for what `from` sent to `at`, and compares. */
async function settle(stage: Stage, from: Endpoint, at: Endpoint, sent: number): Promise<void> {
  const allowed = allowedWhileUp(from.transport.guarantees, stage.declared);
  if (!allowed.loss) await allArrived(from.id, at, sent);
  await from.flush(at);
  judge(from.id, at, sent, allowed);
}

const openAll = (stage: Stage) => Promise.all(nodes.map((id) => stage.open(id)));

const others = (endpoints: readonly Endpoint[], endpoint: Endpoint) =>
  endpoints.filter((other) => other !== endpoint);

const everyWay: Check = {
  name: 'carries messages between all nodes, each to its receiver only, with its sender, in the order and without what it does not declare',
  needs: [],
  run: async (stage) => {
    const endpoints = await openAll(stage);
    const [rounds, burst] = [20, 25];
    for (let round = 0; round < rounds; round++) {
      for (const from of endpoints)
        for (const to of others(endpoints, from)) from.sendNumbered(to.id, burst, round * burst);
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const from of endpoints)
      for (const to of others(endpoints, from)) await settle(stage, from, to, rounds * burst);
    for (const endpoint of endpoints) judgeSenders(endpoint);
  },
};

const later: Check = {
  name: 'delivers nothing before send has returned',
  needs: [],
  run: async (stage) => {
    const [a, b] = await openAll(stage);
    require(a !== undefined && b !== undefined, 'unreachable');
    a.sendNumbered('b', 10);
    require(b.received.length === 0, 'A message arrived at node b before send returned at node a');
    await settle(stage, a, b, 10);
  },
};

const held: Check = {
  name: 'holds what arrives until the first subscriber of received$',
  needs: [],
  run: async (stage) => {
    const a = await stage.open('a');
    const b = await stage.open('b', false);
    a.sendNumbered('b', 20);
    b.sendNumbered('a', 20);
    await settle(stage, b, a, 20); // by then, what a sent has had a round trip's time
    await new Promise((resolve) => setTimeout(resolve, 20));
    b.listen();
    await settle(stage, a, b, 20);
  },
};

/** Data that a careless encoding changes. */
const tricky: readonly unknown[] = [
  { 2: 'two', 1: 'one', '': 'empty', constructor: 1, toString: null, ' ': [] },
  JSON.parse('{"__proto__":{"polluted":true},"a":{"__proto__":1}}'),
  [0, -1, 5e-324, 1.7976931348623157e308, 2 ** 53, 0.1, 1e21, 1e-7],
  [
    '',
    '\u0000',
    '\u001f"\\/\b\f\n\r\t',
    '\u007f\u0080',
    '\u2028\u2029',
    '\ufeff',
    'é',
    'e\u0301',
    '漢字',
    '😀',
    '\ud800',
    '\udc00x',
    '\uffff',
  ],
  [null, true, false, [], {}, [[]], [{}]],
  Array.from({ length: 150 }).reduce<unknown>(
    (inner, _, depth) => (depth % 2 ? [inner] : { inner }),
    'deep',
  ),
  { frame: '[1,"x","a","b",{"type":"t"}]', type: 'inner' },
];

const exact: Check = {
  name: 'carries JSON exactly',
  needs: [],
  run: async (stage) => {
    const [a, b] = await openAll(stage);
    require(a !== undefined && b !== undefined, 'unreachable');
    const sent = tricky.map((data, n) => ({ type: 'data', n, data }));
    for (const message of sent) a.transport.send('b', message);
    const minusZero = { type: 'zero', zero: -0 };
    a.transport.send('b', minusZero);
    await b.until('the arrival of all data', () => b.received.length > sent.length);
    for (const message of sent) {
      const arrived = b.received.find((incoming) =>
        sameNumber(incoming.message, message.n),
      )?.message;
      require(identical(
        arrived,
        message,
      ), `${JSON.stringify(message)} arrived as ${JSON.stringify(arrived)}`);
    }
    const zero = b.received.find(({ message }) => isZero(message));
    require(zero !== undefined, 'A message with −0 arrived as something else than 0 or −0');
  },
};

const sameNumber = (message: unknown, n: number) => isRecord(message) && message.n === n;
const isZero = (message: unknown) => isRecord(message) && message.zero === 0;

/** The frame around a message takes less. */
const frameBytes = 512;

const large = (text: string, maxBytes: number) => {
  const unit = new TextEncoder().encode(text).length;
  const fits = { type: 'large', text: text.repeat(Math.floor((maxBytes - frameBytes) / unit)) };
  const beyond = { type: 'large', text: text.repeat(Math.ceil((maxBytes + 1) / unit)) };
  return { fits, beyond };
};

const largeMessages = (maxBytes: number): Check => ({
  name: `carries messages of up to ${maxBytes} bytes`,
  needs: [],
  maxBytes,
  run: async (stage) => {
    const [a, b] = await openAll(stage);
    require(a !== undefined && b !== undefined, 'unreachable');
    const sent = ['x', 'é', '漢', '😀', '"'].map(
      (text) => large(text === '"' ? '\\"' : text, maxBytes / (text === '"' ? 2 : 1)).fits,
    );
    for (const message of sent) a.transport.send('b', message);
    await b.until(
      'the arrival of all large messages',
      () => b.received.length >= sent.length,
      () => b.received.length,
    );
    for (const [index, message] of sent.entries())
      require(b.received.some((incoming) =>
        identical(incoming.message, message),
      ), `Large message ${index} arrived changed`);
  },
});

const limit: Check = {
  name: "refuses longer messages than its limit with the error 'bad-input', and works afterwards",
  needs: ['limit'],
  run: async (stage) => {
    const [a, b] = await openAll(stage);
    require(a !== undefined && b !== undefined, 'unreachable');
    for (const text of ['x', '漢'])
      requireError('bad-input', 'send with a message that is too long', () =>
        a.transport.send('b', large(text, stage.maxBytes).beyond),
      );
    a.sendNumbered('b', 1);
    await settle(stage, a, b, 1);
    require(b.received.length === 1, 'A part of a message that is too long arrived');
  },
};

const members: Check = {
  name: "refuses to send to a node that is no peer with the error 'bad-input'",
  needs: ['members'],
  run: async (stage) => {
    const [a, b] = await openAll(stage);
    require(a !== undefined && b !== undefined, 'unreachable');
    for (const stranger of ['stranger', '', '*', '>', '__proto__'])
      requireError('bad-input', `send to '${stranger}'`, () =>
        a.transport.send(stranger, { type: 'hello' }),
      );
    a.sendNumbered('b', 1);
    await settle(stage, a, b, 1);
  },
};

const burst: Check = {
  name: 'takes 10,000 messages in one tick from two nodes at once',
  needs: [],
  run: async (stage) => {
    const [a, b, c] = await openAll(stage);
    require(a !== undefined && b !== undefined && c !== undefined, 'unreachable');
    a.sendNumbered('b', 10_000);
    c.sendNumbered('b', 10_000);
    await settle(stage, a, b, 10_000);
    await settle(stage, c, b, 10_000);
    judgeSenders(b);
  },
};

export const deliveryChecks: readonly Check[] = [
  everyWay,
  later,
  held,
  exact,
  largeMessages(1 << 16),
  largeMessages(1 << 20),
  limit,
  members,
  burst,
];
