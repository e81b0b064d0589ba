/**
 * A protocol that only a crash in the middle of a step breaks: the node that announces itself tells
 * some of the others.
 */
import {
  defineProtocol,
  type Effect,
  type NodeId,
  never,
  type Received,
  send,
  sometimes,
} from '@conclave/core/protocol';
import { needs } from '@conclave/core/topology';
import { setup } from 'xstate';

type Command = { type: 'announce' };
type Message = { type: 'leader' };
type Peers = { readonly peers: readonly NodeId[] };

const node = setup({
  types: {} as {
    input: Peers;
    context: Peers;
    events: Command | Received<Message>;
    emitted: Effect<Message>;
  },
});
const machine = node
  .extend({
    actions: {
      tellAll: node.enqueueActions(({ context, enqueue }) => {
        for (const peer of context.peers) enqueue.emit(send(peer, { type: 'leader' }));
      }),
    },
  })
  .createMachine({
    context: ({ input }) => input,
    initial: 'alone',
    states: {
      alone: { on: { announce: { target: 'leading', actions: 'tellAll' }, leader: 'following' } },
      following: { on: { leader: {} } },
      leading: { tags: 'leader', on: { leader: {} } },
    },
  });

export const allOrNone = 'a node that has crashed has told all of the others, or none';

export const announcement = defineProtocol<Message, Command>({
  name: 'announcement',
  title: 'Announcement',
  problem: 'example',
  citation: 'none',
  topology: needs.complete,
  channels: { order: 'any', loss: false, duplication: false },
  roles: { node: { machine, input: (self, topology) => ({ peers: topology.successors(self) }) } },
  messages: { leader: { meaning: 'the sender leads' } },
  commands: {
    announce: { kind: 'optional', meaning: 'lead', when: ({ value }) => value === 'alone' },
  },
  waiting: false,
  properties: [
    never(allOrNone, (system) => {
      const live = system.nodes.filter(({ crashed }) => !crashed).map(({ value }) => value);
      return (
        live.length < system.nodes.length &&
        system.inFlight().length === 0 &&
        live.includes('following') &&
        live.includes('alone')
      );
    }),
    sometimes('a node follows', ({ nodes }) => nodes.some(({ value }) => value === 'following')),
  ],
});
