/** A small failure detector for the tests of the facade: a node that is silent for one period is suspected. */
import { defineProtocol, type Effect, type NodeId, type Protocol, type Received, send } from '@conclave/core/protocol';
import { needs } from '@conclave/core/topology';
import { setup } from 'xstate';

type Message = { readonly type: 'alive' };

interface Input {
  readonly peers: readonly NodeId[];
  readonly period: number;
}

interface Context extends Input {
  readonly heard: readonly NodeId[];
  readonly suspected: readonly NodeId[];
}

const node = setup({ types: {} as { input: Input; context: Context; events: Received<Message>; emitted: Effect<Message> } });

const machine = node
  .extend({
    actions: {
      beat: node.enqueueActions(({ context, enqueue }) => {
        for (const peer of context.peers) enqueue.emit(send(peer, { type: 'alive' }));
      }),
      hear: node.assign(({ context: { heard, suspected }, event: { from } }) => ({
        heard: [...heard.filter((id) => id !== from), from].sort(),
        suspected: suspected.filter((id) => id !== from),
      })),
      suspect: node.assign(({ context: { peers, heard } }) => ({ suspected: peers.filter((id) => !heard.includes(id)), heard: [] })),
    },
    delays: { period: ({ context }) => context.period },
  })
  .createMachine({
    id: 'silence',
    context: ({ input }) => ({ ...input, heard: [], suspected: [] }),
    initial: 'watching',
    states: {
      watching: {
        entry: 'beat',
        on: { alive: { actions: 'hear' } },
        after: { period: { target: 'watching', reenter: true, actions: 'suspect' } },
      },
    },
  });

/** @param period how long a node may be silent, in milliseconds. */
export const silence = (period: number): Protocol =>
  defineProtocol<Message, never>({
    name: 'silence',
    title: 'Silence',
    problem: 'failure-detection',
    citation: 'none',
    topology: needs.complete,
    channels: { order: 'any', loss: false, duplication: false },
    roles: { node: { machine, input: (self, { nodes }) => ({ peers: nodes.filter((id) => id !== self), period }) } },
    messages: { alive: { meaning: 'the sender lives' } },
    commands: {},
    properties: [],
    perpetual: true,
  });
