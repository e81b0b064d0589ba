import type { Protocol } from '@conclave/core/protocol';
import {
  almostSurely,
  type Chosen,
  choose,
  draw,
  type Effect,
  eventually,
  type Received,
  send,
} from '@conclave/core/protocol';
import { assertEvent, setup } from 'xstate';
import { minimalProtocol, type Self } from '../../../core/src/protocol/examples.contract.js';

// Whoever is told to toss draws until it is heads, tells its first peer of each toss, and waits for
// the answer.

type Toss = { readonly type: 'toss'; readonly side: string } | { readonly type: 'heard' };

interface Coin {
  readonly heads: number;
  readonly tails: number;
  /** Whether nothing is known of the coin. */
  readonly unknown?: boolean;
  /** Between two tosses, in milliseconds. */
  readonly pause?: number;
}

/** A protocol of nodes with a coin; a weight of 0 is a side that it does not have. */
export function tosser({ heads, tails, unknown = false, pause = 10 }: Coin): Protocol {
  const sides = [...(heads > 0 ? ['heads'] : []), ...(tails > 0 ? ['tails'] : [])];
  const weights = [heads, tails].filter((weight) => weight > 0);
  const machine = setup({
    types: {} as {
      input: Self;
      context: Self;
      events: { type: 'go' } | Chosen<string> | Received<Toss>;
      emitted: Effect<Toss>;
    },
    delays: { pause },
  });
  const toss = machine.emit(() => (unknown ? choose(...sides) : draw(sides, { weights })));
  const tell = machine.emit(({ context, event }) => {
    assertEvent(event, 'chosen');
    return send(context.peers[0] ?? '', { type: 'toss', side: event.value });
  });
  const answer = machine.emit(({ event }) => {
    assertEvent(event, 'toss');
    return send(event.from, { type: 'heard' });
  });
  const node = machine
    .extend({
      actions: { toss, tell, answer },
      guards: { isHeads: ({ event }) => event.type === 'chosen' && event.value === 'heads' },
    })
    .createMachine({
      context: ({ input }) => input,
      initial: 'idle',
      on: { toss: { actions: 'answer' }, heard: {} },
      states: {
        idle: { on: { go: 'tossing' } },
        tossing: {
          entry: 'toss',
          on: {
            go: {},
            chosen: [
              { guard: 'isHeads', target: 'done', actions: 'tell' },
              { target: 'told', actions: 'tell' },
            ],
          },
        },
        told: { on: { go: {}, heard: 'resting' } },
        resting: { on: { go: {} }, after: { pause: 'tossing' } },
        done: { tags: 'done', on: { go: {} } },
      },
    });
  return minimalProtocol(node, {
    name: 'tosser',
    title: 'Tosser',
    messages: {
      toss: { fields: ['side'], meaning: 'it was `side`' },
      heard: { meaning: 'I have heard it' },
    },
    commands: { go: { kind: 'optional', meaning: 'toss until it is heads' } },
    rewards: { tosses: ({ cause }) => (cause.kind === 'choice' ? 1 : 0) },
    properties: [
      almostSurely('it is heads in the end', (system) => system.count('done') > 0),
      eventually('it is always heads in the end', (system) => system.count('done') > 0),
    ],
  });
}
