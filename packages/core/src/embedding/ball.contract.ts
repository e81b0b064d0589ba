/**
 * Shared by the tests of embedded nodes: nodes that throw a ball to each other, alone or in pairs.
 */
import { Subject } from 'rxjs';
import { assertEvent, setup } from 'xstate';
import { ConclaveError } from '../base/error.js';
import { defineProtocol } from '../protocol/define-protocol.js';
import {
  type Chosen,
  choose,
  type Effect,
  type Json,
  type NodeId,
  notify,
  type Received,
  send,
} from '../protocol/node.js';
import type { Protocol } from '../protocol/protocol.js';
import * as needs from '../topology/needs.js';
import { embed } from './embed.js';
import type { EmbedOptions } from './embedded.js';
import { handStepped } from './memory.js';
import type { Incoming, Transport } from './transport.js';

/**
 * Nodes that throw a ball to each other; one command for each situation that a host must handle.
 */
type BallMessage = { readonly type: 'ball'; readonly throws: number };
export type BallCommand =
  | { readonly type: 'throw' | 'toss' | 'nap' | 'stray' | 'burst' }
  | { readonly type: 'name'; readonly name: string };
type Caught = { readonly type: 'caught'; readonly throws: number };
interface BallInput {
  readonly self: NodeId;
  readonly peers: readonly NodeId[];
  readonly starts: boolean;
}

export const node = setup({
  types: {} as {
    input: BallInput;
    context: BallInput & { readonly throws: number; readonly coin: Json; readonly name: string };
    events: BallCommand | Chosen | Received<BallMessage>;
    emitted: Effect<BallMessage, Caught>;
  },
});
const throwBall = node.emit(({ context }) =>
  send(context.peers[0] ?? '', { type: 'ball', throws: context.throws + 1 }),
);
const catchBall = node.assign(({ event }) => {
  assertEvent(event, 'ball');
  if (event.throws < 0) throw new Error('less than no throws');
  return { throws: event.throws };
});
const tell = node.emit(({ context }) => notify<Caught>({ type: 'caught', throws: context.throws }));
export const machine = node
  .extend({
    actions: {
      throwBall,
      catchBall,
      tell,
      toss: node.emit(() => choose('heads', 'tails')),
      noteCoin: node.assign(({ event }) => {
        assertEvent(event, 'chosen');
        return { coin: event.value };
      }),
      noteName: node.assign(({ event }) => {
        assertEvent(event, 'name');
        return { name: event.name };
      }),
      sendAstray: node.emit(() => send<BallMessage>('nowhere', { type: 'ball', throws: 0 })),
      burst: node.assign(() => {
        throw new Error('the ball has burst');
      }),
    },
    guards: { starts: ({ context }) => context.starts },
  })
  .createMachine({
    id: 'ball',
    context: ({ input }) => ({ ...input, throws: 0, coin: null, name: '' }),
    initial: 'arriving',
    on: {
      toss: { actions: 'toss' },
      chosen: { actions: 'noteCoin' },
      stray: { actions: 'sendAstray' },
      burst: { actions: 'burst' },
      name: { actions: 'noteName' },
    },
    states: {
      arriving: { always: [{ guard: 'starts', target: 'with' }, { target: 'without' }] },
      with: {
        tags: 'critical',
        entry: 'tell',
        on: { throw: { target: 'without', actions: 'throwBall' }, nap: 'napping' },
      },
      without: { on: { ball: { target: 'with', actions: 'catchBall' } } },
      napping: { after: { 1000: 'with' } },
    },
  });

export const ballOver = (channels: Protocol['channels']) =>
  defineProtocol<BallMessage, BallCommand>({
    name: 'ball',
    title: 'Ball game',
    problem: 'game',
    citation: 'a schoolyard',
    topology: needs.complete,
    channels,
    roles: {
      player: {
        machine,
        input: (self, { nodes }) => ({
          self,
          peers: nodes.filter((id) => id !== self),
          starts: self === nodes[0],
        }),
      },
    },
    messages: { ball: { fields: ['throws'], meaning: 'the ball' } },
    commands: {
      throw: {
        kind: 'obligatory',
        meaning: 'throw the ball',
        when: ({ tags }) => tags.has('critical'),
      },
      toss: { kind: 'optional', meaning: 'toss a coin' },
      nap: { kind: 'optional', meaning: 'sleep a second' },
      stray: { kind: 'optional', meaning: 'throw the ball away' },
      burst: { kind: 'optional', meaning: 'break the ball' },
      name: { kind: 'optional', fields: ['name'], meaning: 'take a name' },
    },
    properties: [],
  });
export const ball = ballOver({ order: 'any', loss: false, duplication: false });

const silent = {
  self: 'a',
  guarantees: { order: 'fifo', loss: false, duplication: false },
} as const;

/** A transport of node a whose wire the test controls. */
export function bare(
  received$: Transport['received$'],
  overrides: Partial<Transport> = {},
): Transport {
  const close = async () => {};
  return {
    ...silent,
    received$,
    send: () => {},
    close,
    [Symbol.asyncDispose]: close,
    ...overrides,
  };
}

export function embedAlone(overrides: Partial<EmbedOptions> = {}, wire = new Subject<Incoming>()) {
  const errors: ConclaveError[] = [];
  const a = embed(ball, {
    self: 'a',
    peers: ['b'],
    transport: bare(wire),
    onError: (error) => errors.push(error),
    ...overrides,
  } as EmbedOptions); // Partial loses which of the two surroundings is given
  return { a, wire, errors };
}

/** Two nodes on a hand-stepped network. */
export function embedPair() {
  const network = handStepped(['a', 'b']);
  const [a, b] = (['a', 'b'] as const).map((self, index) =>
    embed(ball, {
      self,
      peers: [['b', 'a'][index] ?? ''],
      transport: network.transport(self),
      clock: network.clock(self),
    }),
  );
  if (!a || !b) throw new Error('unreachable: two were made');
  return { network, a, b };
}

export const refusal = (attempt: () => unknown): ConclaveError => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ConclaveError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};
