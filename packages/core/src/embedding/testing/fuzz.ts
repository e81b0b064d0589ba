import { Random } from '../../base/random.js';
import type { Message, NodeId } from '../../protocol/node.js';
import { identical } from '../../protocol/plain-data.js';
import { frameOf } from '../network-transport.js';
import { isMessage, type RefusalReason } from '../transport.js';
import { type Check, require } from './check.js';
import { allArrived, type Endpoint } from './endpoint.js';

const chunk = 2000;

export const fuzzCheck: Check = {
  name: 'takes a frame only if it is byte for byte the frame of a peer, counts the others, and works afterwards',
  needs: ['inject'],
  run: async ({ network, open, declared: { frames = 100_000 }, maxBytes }) => {
    const { inject, network: name } = network;
    require(inject !== undefined &&
      name !== undefined, 'A network that can inject frames needs its name');
    const b = await open('b');
    require(b.transport.refused !== undefined, 'The transport counts no refusals');
    let errors = 0;
    b.transport.errors$?.subscribe(() => errors++);
    const mutated = fuzzFrames({ network: name, from: 'a', to: 'b', count: frames, maxBytes });
    let sent = 0;
    let taken = 0;
    for (let round = 0; sent < frames; round++) {
      const message = { type: 'round', round };
      const real = frameOf(name, 'a', 'b', message);
      const batch = [
        ...Array.from(
          { length: Math.min(chunk, frames - sent) },
          () => mutated.next().value ?? new Uint8Array(),
        ),
        bytes(real),
      ];
      await inject.call(network, 'a', 'b', batch);
      await b.until(`the arrival of the real frame ${real}`, () =>
        identical(b.received.at(-1)?.message, message),
      );
      taken += requireTaken(b, batch, name, maxBytes);
      sent += batch.length;
      b.received.length = 0;
    }
    const refused = totalOf(b.transport.refused);
    require(taken + refused ===
      sent, `${sent} frames were sent, ${taken} taken, and ${refused} counted as refused`);
    require(errors <
      100, `${errors} errors were reported: a flood of frames floods the application`);
    require(errors > 0 || b.transport.errors$ === undefined, 'No refusal was reported by errors$');
    require(!('polluted' in {}), 'A frame has changed Object.prototype');

    const a = await open('a');
    a.sendNumbered('b', 100);
    b.sendNumbered('a', 100);
    await Promise.all([allArrived('a', b, 100), allArrived('b', a, 100)]);
  },
};

/** How many of `batch` arrived. @throws where something arrived that was not sent as this frame */
function requireTaken(
  b: Endpoint,
  batch: readonly Uint8Array[],
  network: string,
  maxBytes: number,
): number {
  const texts = b.received.map(({ from, message }) =>
    bytes(JSON.stringify([1, network, from, 'b', message])),
  );
  const untyped = b.received.find(({ message }) => !isMessage(message));
  require(untyped ===
    undefined, `Something arrived that is no message: ${JSON.stringify(untyped)}`);
  require(!texts.some(
    (text) => text.length > maxBytes,
  ), `A message of more than ${maxBytes} bytes arrived`);
  let next = 0;
  for (const frame of batch) if (same(texts[next], frame)) next++;
  const wrong = b.received[next];
  require(wrong ===
    undefined, `Something arrived that no frame of a peer carries: ${JSON.stringify(wrong)?.slice(0, 300)}`);
  const foreign = b.received.find(({ from }) => from !== 'a' && from !== 'c');
  require(foreign === undefined, `A message arrived from ${foreign?.from}, which is no peer`);
  return next;
}

const totalOf = (refused: Readonly<Record<RefusalReason, number>>): number =>
  Object.values(refused).reduce((sum, count) => sum + count, 0);

const same = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one?.length === other.length && one.every((byte, index) => byte === other[index]);

interface FuzzOptions {
  readonly network: string;
  /** The peer whose frames are mutated, and the node that gets them. */
  readonly from: NodeId;
  readonly to: NodeId;
  /** How many. */
  readonly count: number;
  /** The limit of the node: some frames are longer. */
  readonly maxBytes: number;
  /** Default 1. */
  readonly seed?: number;
}

/**
 * Frames of a peer, mutated: flipped bits, lost, repeated and swapped parts, other fields, other
 * types, keys twice; and some unchanged.
 */
function* fuzzFrames({
  network,
  from,
  to,
  count,
  maxBytes,
  seed = 1,
}: FuzzOptions): Generator<Uint8Array<ArrayBuffer>> {
  const random = new Random(seed);
  const source: Source = { random, network, from, to, maxBytes };
  for (let n = 0; n < count; n++) {
    const mutate = random.pick(mutations);
    yield mutate(source, frameOf(network, from, to, messageOf(random, n)));
  }
}

interface Source {
  readonly random: Random;
  readonly network: string;
  readonly from: NodeId;
  readonly to: NodeId;
  readonly maxBytes: number;
}

type Mutation = (source: Source, frame: string) => Uint8Array<ArrayBuffer>;

const encoder = new TextEncoder();
const bytes = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text);

function messageOf(random: Random, n: number): Message {
  const kinds: readonly (() => Message)[] = [
    () => ({ type: 'request', ts: n }),
    () => ({ type: 'reply' }),
    () => ({
      type: 'token',
      queue: ['a', 'b', 'c'].slice(random.below(3)),
      granted: { a: n, b: -1.5 },
    }),
    () => ({
      type: 'data',
      seq: n,
      payload: { type: 'request', ts: 2 ** random.below(60) },
      stamp: null,
    }),
    () => ({
      type: 'text',
      text: random.pick(['', 'é漢😀', '\ud800', '"\\\n\u0000', '__proto__', '[1,"x"]']),
    }),
  ];
  return random.pick(kinds)();
}

/** `frame` with one of its five parts replaced. */
const withPart =
  (index: number, part: (source: Source) => string): Mutation =>
  (source, frame) => {
    // a frame is an array
    const parts = (JSON.parse(frame) as readonly unknown[]).map((value) => JSON.stringify(value));
    parts[index] = part(source);
    return bytes(`[${parts.join(',')}]`);
  };

const withMessage = (message: string): Mutation => withPart(4, () => message);

const values = [
  'null',
  'true',
  '0',
  '-0',
  '1e999',
  '""',
  '[]',
  '{}',
  '"__proto__"',
  '[["type","x"]]',
  '{"toString":1}',
];

const mutations: readonly Mutation[] = [
  (_, frame) => bytes(frame),
  ({ random }, frame) => {
    const found = bytes(frame);
    for (let flips = 1 + random.below(3); flips > 0; flips--) {
      const at = random.below(found.length);
      found[at] = (found[at] ?? 0) ^ (1 << random.below(8));
    }
    return found;
  },
  ({ random }, frame) => bytes(frame).slice(0, random.below(frame.length)),
  ({ random }, frame) => bytes(frame).slice(random.below(frame.length)),
  ({ random }, frame) => {
    const cut = random.below(frame.length);
    return bytes(frame.slice(0, cut) + frame.slice(cut + 1 + random.below(8)));
  },
  ({ random }, frame) => {
    const [start, end] = [random.below(frame.length), random.below(frame.length)].sort(
      (a, b) => a - b,
    );
    return bytes(frame.slice(0, end) + frame.slice(start));
  },
  (_, frame) => bytes(frame + frame),
  ({ random }, frame) =>
    bytes(
      random.pick([
        ` ${frame}`,
        `${frame}\n`,
        `\ufeff${frame}`,
        frame.replace(',', ', '),
        `${frame}\u0000`,
      ]),
    ),
  ({ random }) => Uint8Array.from({ length: random.below(200) }, () => random.below(256)),
  withPart(0, ({ random }) =>
    random.pick([
      '0',
      '2',
      '1.5',
      '-1',
      '1e3',
      '1.0',
      '"1"',
      'null',
      '[1]',
      '99999999999999999999',
    ]),
  ),
  withPart(1, ({ random }) => random.pick(['""', '"other"', ...values])),
  withPart(2, ({ random, to }) =>
    random.pick(['"stranger"', '""', JSON.stringify(to), '"*"', ...values]),
  ),
  withPart(3, ({ random, from }) =>
    random.pick(['"stranger"', '""', JSON.stringify(from), '">"', ...values]),
  ),
  withPart(4, ({ random }) => random.pick(values)),
  ({ from, to }, frame) => bytes(frame.replace(`"${from}","${to}"`, `"${to}","${from}"`)),
  (_, frame) => bytes(JSON.stringify(JSON.parse(frame).slice(0, 4))),
  (_, frame) => bytes(JSON.stringify([...JSON.parse(frame), 1])),
  withMessage('{"type":"a","type":"b"}'),
  withMessage('{"type":"request","ts":1,"ts":2}'),
  withMessage('{"type":7}'),
  withMessage('{"type":["x"]}'),
  withMessage('{"ts":1}'),
  withMessage('{"__proto__":{"type":"request","polluted":true}}'),
  withMessage('{"type":"request","__proto__":{"polluted":true}}'),
  withMessage('{"type":"request","constructor":{"prototype":{"polluted":true}}}'),
  withMessage('{"type":"request","\\u005f_proto__":{"polluted":true}}'),
  withMessage('{"type":"\\u0072equest","ts":1}'),
  withMessage('{"type":"request","ts":1.0}'),
  withMessage('{"type":"request","ts":-0}'),
  withMessage('{"type":"request","ts":01}'),
  withMessage('{"type":"request","2":1,"1":2}'),
  ({ random, maxBytes }, frame) =>
    bytes(random.below(100) ? '' : frame.replace('"type":"', `"type":"${'x'.repeat(maxBytes)}`)),
  ({ random, maxBytes }) => {
    const depth = random.below(500) === 0 ? Math.floor(maxBytes / 2) - 20 : random.below(300);
    return bytes(`${'['.repeat(depth)}${']'.repeat(depth)}`);
  },
  withPart(4, ({ random, maxBytes }) => {
    const depth = random.below(500) === 0 ? Math.floor(maxBytes / 2) - 200 : random.below(300);
    return `{"type":"deep","deep":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  }),
];
