/** Locks with a token whose count of hops never stops growing, and decides something. */
import { setup } from 'xstate';
import { type Effect, type NodeId, type Received, send } from '../../protocol/node.js';
import type { Protocol } from '../../protocol/protocol.js';
import * as needs from '../../topology/needs.js';
import { type Command, lock } from './wrong-later.contract.js';

type Pass = { type: 'token'; hops: number };
interface Input {
  readonly next: NodeId;
  readonly first: boolean;
}
const node = setup({
  types: {} as {
    input: Input;
    context: Input & { readonly last: number };
    events: Command | Received<Pass>;
    emitted: Effect<Pass>;
  },
});

/** @param onward the tokens that are passed on after so many hops, `since` it was here before */
const counting = (onward: (hops: number, since: number) => readonly number[]): Protocol => {
  const pass = node.enqueueActions(({ context: { next, last }, event, enqueue }) => {
    const hops = event.type === 'token' ? event.hops : last;
    const since = event.type === 'token' && last > 0 ? hops - last : 0;
    for (const count of onward(hops, since))
      enqueue.emit(send(next, { type: 'token', hops: count }));
    enqueue.assign({ last: hops });
  });
  const machine = node.createMachine({
    context: ({ input }) => ({ ...input, last: 0 }),
    initial: 'start',
    states: {
      start: {
        always: [
          { guard: ({ context }) => context.first, target: 'idle', actions: pass },
          { target: 'idle' },
        ],
      },
      idle: { tags: 'idle', on: { acquire: 'waiting', token: { actions: pass } } },
      waiting: { on: { token: 'inside' } },
      inside: { tags: 'inside', on: { release: { target: 'idle', actions: pass } } },
    },
  });
  return lock({
    topology: needs.oneWayRing,
    roles: {
      node: {
        machine,
        input: (self, ring) => ({ next: ring.at(self, 'next') ?? self, first: self === 'a' }),
      },
    },
    messages: { token: { fields: ['hops'], meaning: 'the token' } },
  });
};

/** A token that is older than the one before is dropped. */
export const countsHops = counting((hops, since) => (since < 0 ? [] : [hops + 1]));

/** Each with the smallest ring that shows its mistake. */
export const countsWrong: Readonly<Record<string, readonly [protocol: Protocol, n: number]>> = {
  'a token that doubles when it was here 6 hops before': [
    counting((hops, since) => (since === 6 ? [hops + 1, hops + 1] : [hops + 1])),
    6,
  ],
  'a token that doubles when it was here 7 hops before, or more': [
    counting((hops, since) => (since > 6 ? [hops + 1, hops + 1] : [hops + 1])),
    7,
  ],
  'a token that doubles at 777 hops, which it is said to have made after 6': [
    counting((hops, since) => (hops === 777 ? [1, 1] : [since === 6 ? 777 : hops + 1])),
    6,
  ],
};
