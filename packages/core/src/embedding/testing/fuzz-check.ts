import { identical } from '../../protocol/plain-data.js';
import { frameOf } from '../network-frames.js';
import type { RefusalReason } from '../transport.js';
import { isMessage } from '../wire.js';
import { type Check, require } from './check.js';
import type { Endpoint } from './endpoint.js';
import { fuzzFrames } from './fuzz.js';
import { allArrived } from './judge.js';

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
        encoded(real),
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
    encoded(JSON.stringify([1, network, from, 'b', message])),
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

const encoder = new TextEncoder();
const encoded = (text: string): Uint8Array => encoder.encode(text);

const same = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one?.length === other.length && one.every((byte, index) => byte === other[index]);
