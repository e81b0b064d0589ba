/**
 * A protocol of your own: each player on a ring hits a ball to the next player.
 * `npx conclave chart` and `simulate` accept this file too.
 */
import {
  always,
  defineProtocol,
  type Effect,
  type NodeId,
  type Received,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { needs } from '@conclave/core/topology';
import { assertEvent, setup } from 'xstate';

type Message = { readonly type: 'ball'; readonly stroke: number };
type Command = { readonly type: 'serve' };
type Input = { readonly next: NodeId; readonly begins: boolean };

const rally = 3;

const player = setup({
  types: {} as {
    input: Input;
    context: Input;
    events: Command | Received<Message>;
    emitted: Effect<Message>;
  },
});
const serve = player.emit(({ context }) => send(context.next, { type: 'ball', stroke: 1 }));
const hitBack = player.emit(({ context, event }) => {
  assertEvent(event, 'ball');
  return send(context.next, { type: 'ball', stroke: event.stroke + 1 });
});

const machine = player
  .extend({
    actions: { serve, hitBack },
    guards: {
      begins: ({ context }) => context.begins,
      rallyIsOver: ({ event }) => event.type === 'ball' && event.stroke >= rally,
    },
  })
  .createMachine({
    id: 'ping-pong',
    context: ({ input }) => input,
    initial: 'arriving',
    states: {
      arriving: { always: [{ guard: 'begins', target: 'holding' }, { target: 'playing' }] },
      holding: { tags: 'holding', on: { serve: { target: 'playing', actions: 'serve' } } },
      playing: {
        on: {
          ball: [{ guard: 'rallyIsOver', target: 'holding' }, { actions: 'hitBack' }],
          serve: {}, // ignored: another player has the ball
        },
      },
    },
  });

export const pingPong = defineProtocol<Message, Command>({
  name: 'ping-pong',
  title: 'Ping-pong',
  problem: 'game',
  citation: 'an example',
  topology: needs.oneWayRing,
  channels: { order: 'any', loss: false, duplication: false },
  roles: {
    player: {
      machine,
      input: (self, ring) => ({
        next: ring.successors(self)[0] ?? self,
        begins: self === ring.nodes[0],
      }),
    },
  },
  messages: {
    ball: {
      fields: ['stroke'],
      meaning: 'you have the ball; `stroke` counts the hits since the serve',
    },
  },
  commands: { serve: { kind: 'optional', meaning: 'bring the ball into play', when: () => true } },
  waiting: false, // a player without the ball is not stuck
  properties: [
    always(
      'there is exactly one ball',
      (game) => game.count('holding') + game.inFlight('ball').length === 1,
    ),
    sometimes('a player other than the first holds the ball', (game) =>
      game.tagged('holding').some(({ context }) => !context.begins),
    ),
  ],
});
